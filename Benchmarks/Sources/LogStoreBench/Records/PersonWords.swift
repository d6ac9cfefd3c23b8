/// The words that persons are made of.
enum PersonWords {
  static let firstNames = words(
    """
    Anna Ben Clara David Emma Felix Greta Hugo Ida Jonas Klara Leon Maria Nils Olga Paul Rosa Simon
    Tilda Viktor Adam Bella Carl Dora Erik Frida Gustav Hanna Igor Julia Karl Laura Max Nora Oskar
    Petra Rafael Sara Theo Vera Alexander Beatrice Christopher Dominique Elizabeth Ferdinand
    Gabriella Henrietta Isabella Jonathan Katharina Leonardo Margaret Nathaniel Octavia Penelope
    Sebastian Theodora Valentina Wilhelmina
    """)
  static let lastNames = words(
    """
    Meier Schmidt Fischer Weber Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf
    Neumann Schwarz Zimmermann Braun Hofmann Hartmann Lange Werner Krause Lehmann Walter Maier
    Johansson Andersson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson Smith
    Jones Taylor Brown Williams Wilson Johnson Davies Robinson Wright Thompson Evans Walker White
    Roberts Green Hall Wood Jackson Clarke Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci
    """)
  static let streets = words(
    """
    Linden Oak Station Church Garden Mill Bridge Market Castle Harbour Meadow Forest School Park
    River Hill Spring Summer North South Victoria Albert Goethe Schiller Mozart Beethoven
    """)
  static let cities = words(
    """
    Berlin Hamburg Munich Cologne Frankfurt Stuttgart Leipzig Dresden Vienna Graz Salzburg Zurich
    Geneva Basel Stockholm Gothenburg Uppsala London Manchester Bristol Leeds Oxford Milan Turin
    Bologna Naples Florence Venice Copenhagen Aarhus Oslo Bergen Helsinki Tampere
    """)
  static let countries = words(
    "Germany Austria Switzerland Sweden England Italy Denmark Norway Finland")
  static let occupations = words(
    """
    teacher engineer carpenter physician librarian architect baker gardener journalist electrician
    accountant translator photographer pharmacist mechanic
    """)
  static let domains = words("example.com example.org example.net mail.example post.example")
  static let phrases = [
    "asked for a new contract", "will call again next week", "paid the invoice on time",
    "prefers letters to calls", "wants an offer before the end of the month", "met in spring",
    "loyal customer since the beginning", "returned an order because of its size",
    "please send the newsletter", "moved here from another city", "has a discount of ten per cent",
    "no calls on Mondays", "waits for a delivery", "recommended by a friend",
  ]

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
