/// Pages of a memory table that nobody changes any more, linked through their headers: putting one
/// in allocates nothing. Readers of old versions do not look at the link.
struct PageList {
  private var first: TablePage?

  private(set) var count = 0

  mutating func push(_ page: TablePage) {
    page.next = first?.base
    first = page
    count += 1
  }

  mutating func pop() -> TablePage? {
    guard let page = first else { return nil }
    first = page.next.map { TablePage(base: $0) }
    count -= 1
    return page
  }
}
