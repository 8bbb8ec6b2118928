import { list, plain } from './words.ts'

export type Name = { text: string; plain: string }
export type Culture = { code: string; first: Name[]; last: Name[]; titles: string[] }

function people(code: string, first: string, last: string, titles: string): Culture {
  const names = (text: string) => list(text).map((name) => ({ text: name, plain: plain(name, '', code) }))
  return { code, first: names(first), last: names(last), titles: list(titles) }
}

/** Only surnames that do not change with gender, or the list would need two forms of each. */
export const CULTURES: Culture[] = [
  people(
    'en',
    `Amelia, Oliver, Charlotte, Jack, Imogen, Harry, Siobhán, George, Niamh, Callum, Freya, Owen, Zoë, Rhys, Beatrix,
     Declan, Chloë, Aidan, Harriet, Marcus, Renée, Theo, Ruby, Desmond, Sinéad, Elliot, Naomi, Jasper`,
    `Hartley, O'Brien, Whitfield, Ashworth, Caldwell, Pemberton, Brontë, Sutcliffe, Thornton, Mackenzie, Fairbanks,
     Holloway, Ó Súilleabháin, Langford, Prescott, Bancroft, Kirkland, Redmond, Winslow, Aldridge, Beaumont, Carrick,
     Davenport, Ellery, Fenwick, Granger, Hadley, Ingram, Kendrick, Lockwood, Merrick, Norwood, Oakley, Penrose, Quimby,
     Radcliffe, Selwyn, Tolliver, Underhill, Verity, Wakefield, Yardley, Ainsworth, Birch, Cromwell, Dunmore, Eastwood,
     Fitzgerald, Goodwin, Huxley, Kingsley, Loxley, McAllister, Northcote, O'Rourke, Pickering, Ridley, Stanhope,
     Thackeray, Westbrook`,
    'Head of Facilities, Operations Director',
  ),
  people(
    'de',
    `Anneliese, Jürgen, Käthe, Björn, Friederike, Götz, Mareike, Thorsten, Bärbel, Jörg, Annika, Matthias, Ulrike,
     Günther, Svenja, Lukas, Hannelore, Moritz, Birgit, Sören, Franziska, Tobias, Heike, Leon, Steffi, Jan-Erik`,
    `Krüger, Schäfer, Weiß, Köhler, Lindemann, Brückner, Hoffmann, Jäger, Böhm, Vogelsang, Müller, Steinbach, Groß,
     Kästner, Baumgärtner, Reinhardt, Hübner, Falkenberg, Wölfel, Dietrich, Schröder, Ehrlich, Kühn, Nägele, Oberländer,
     Petersen, Röhrig, Seidel, Tiedemann, Ullmann, Voß, Wagenknecht, Zöllner, Althaus, Bergmann, Claaßen, Dörfler,
     Eichhorn, Fröhlich, Gerlach, Hartwig, Immendorf, Kaltenbach, Lüders, Mühlbauer, Nordmann, von der Heide, Pfeiffer`,
    'Leitung Einkauf, Bereichsleitung IT, Leitung Disposition',
  ),
  people(
    'fr',
    `Zoé, Gérard, Hélène, Benoît, Anaïs, François, Noémie, Jérôme, Céline, Loïc, Maëlle, Étienne, Inès, Rémi, Aurélie,
     Mathéo, Solène, Théo, Gaëlle, Yann, Clémence, Raphaël, Léa, Cédric, Amélie, Jean-Noël`,
    `Lefèvre, Dubois, Besançon, Béranger, Moreau, Chéron, Fournier, Hébert, Gauthier, Lemaître, Perrin, Rousseau, Guérin,
     Bonnet, Legrand, Mercier, Delacroix, Chevallier, Barthélemy, Fontaine, Noël, Aubert, Marchand, Picard, Vasseur,
     Blanchet, Caron, d'Amboise, Estève, Forestier, Girard, Huet, Joubert, Lacombe, Maréchal, Pélissier, de Villiers, Roche`,
    'Responsable achats, Responsable exploitation, Responsable informatique',
  ),
  people(
    'nl',
    `Sanne, Daan, Femke, Joris, Maartje, Thijs, Lotte, Bram, Noor, Sjoerd, Anouk, Ruben, Fleur, Jeroen, Marijke, Koen,
     Liesbeth, Pieter, Roos, Stijn, Eefje, Wouter, Iris, Gijs, Zoë, Niek`,
    `de Vries, van Dijk, Bakker, Visser, Mulder, de Groot, Vos, van den Berg, Hendriks, Dekker, Brouwer, de Wit, Kuiper,
     Dijkstra, Smits, van der Meer, Kok, Jacobs, Vermeulen, van Leeuwen, Schouten, Willems, Postma, Verbeek, Hoekstra,
     Koster, van Beek, Prins, Huisman, Peeters, Claes, Maes, Wouters, Goossens, Ruijter, van Rijn, Oosterhuis, Zijlstra`,
    'Hoofd inkoop, Manager bedrijfsvoering',
  ),
  people(
    'sv',
    `Åsa, Göran, Märta, Björn, Linnéa, Håkan, Ebba, Örjan, Maja, Anders, Saga, Nils, Åke, Elsa, Viktor, Tindra, Östen,
     Frida, Mats, Klara, Gösta, Alva, Jonas, Malin, Rasmus, Ulrika`,
    `Lindqvist, Åkesson, Sjöberg, Nyström, Björklund, Öberg, Holmgren, Sandström, Hägglund, Wallin, Ekström, Löfgren,
     Strömberg, Hedlund, Näslund, Åström, Forsberg, Sundin, Blomqvist, Dahlström, Engström, Falkman, Grönvall, Hallström,
     Isaksson, Jönsson, Källström, Lundgren, Månsson, Norén, Rosén, Sköld`,
    'Inköpschef, Driftchef',
  ),
  people(
    'no',
    `Ingrid, Øyvind, Solveig, Håkon, Marte, Bjørn, Åse, Torstein, Kjersti, Sindre, Ragnhild, Eirik, Tuva, Gaute, Sigrid,
     Jørgen, Hedda, Leif, Synnøve, Magnus, Vilde, Pål, Astrid, Kåre, Live, Trygve`,
    `Halvorsen, Solberg, Bjørnstad, Haugen, Nygård, Lie, Bakkerud, Ødegård, Strand, Moen, Tangen, Aasen, Kvamme, Rønning,
     Myhre, Sæther, Brekke, Fossum, Gulbrandsen, Hovland, Iversen, Johnsrud, Løken, Nilsen, Opdal, Refsnes, Skår,
     Thorvaldsen, Ulriksen, Vågen, Wærnes, Ytterdal`,
    'Innkjøpssjef, Driftssjef',
  ),
  people(
    'da',
    `Søren, Kirsten, Anne-Mette, Jørn, Rikke, Mikkel, Bodil, Lærke, Asger, Gitte, Øjvind, Trine, Poul, Sofie, Kjeld,
     Ditte, Rasmus, Maren, Frederik, Inge, Aksel, Pernille, Thøger, Signe, Emil, Karoline`,
    `Kjærgaard, Sørensen, Mølgaard, Østergaard, Bøgh, Nørgaard, Thygesen, Lauridsen, Friis, Skovgaard, Dam, Winther,
     Højgaard, Bech, Toft, Kruse, Ravn, Møller, Birkholm, Clausen, Damgaard, Enevoldsen, Fabricius, Gammelgaard, Holst,
     Jespersen, Kofoed, Lyngby, Munk, Overgaard, Præstegaard, Rømer`,
    'Indkøbschef, Driftschef',
  ),
  people(
    'fi',
    `Aino, Väinö, Päivi, Jukka, Hanna, Mikko, Tuuli, Yrjö, Sanni, Eero, Kyllikki, Antti, Minna, Pekka, Eevi, Oona, Ilmari,
     Riikka, Tapio, Venla, Aleksi, Helmi, Heikki, Noora`,
    `Mäkinen, Häkkinen, Virtanen, Nieminen, Järvinen, Hämäläinen, Koskela, Lehtonen, Rantala, Salmi, Ylönen, Väisänen,
     Kärkkäinen, Peltola, Töyrylä, Heikkilä, Ojala, Laaksonen, Räsänen, Niskanen, Ahonen, Eskola, Haapala, Isotalo,
     Kallio, Lindroos, Manninen, Paavola, Seppälä, Tuominen`,
    'Hankintapäällikkö, Toimitusjohtaja',
  ),
  people(
    'es',
    `Inés, Álvaro, Lucía, José María, Begoña, Íñigo, Sofía, Andrés, Ángeles, Raúl, Nuria, Martín, Rocío, Tomás, Itziar,
     Jesús, Concepción, Germán, Belén, Héctor, Mónica, Adrián, Pilar, Joaquín, Elvira, Ramón`,
    `de la Cruz, Muñoz, Ibáñez, García, Núñez, Peña, Echeverría, Domínguez, Sáez, del Río, Galván, Ordóñez, Castañeda,
     Bermúdez, Cáceres, Rosales, Vázquez, Zúñiga, Alarcón, Quiñones, Treviño, Arango, Olmedo, Montalbán, Figueroa, Herrero,
     Jiménez, Lozano, Maldonado, Navarro, Ochoa, Pascual, Robledo, Salcedo, Tejada, Urrutia`,
    'Responsable de compras, Responsable de operaciones',
  ),
  people(
    'pt',
    `Conceição, João, Inês, Gonçalo, Beatriz, Tomé, Mafalda, Vítor, Luísa, Estêvão, Sónia, Duarte, Raquel, António, Íris,
     Frederico, Margarida, Nuno, Letícia, Caetano, Helena, Simão, Débora, Rúben`,
    `Gonçalves, Magalhães, da Conceição, Simões, Araújo, Falcão, Brandão, de Sá, Peixoto, Guimarães, Leitão, Bragança,
     Vasconcelos, Azevedo, Seixas, Lourenço, Queirós, Teixeira, Barbosa, Sampaio, Nóbrega, Furtado, Moura, Pacheco,
     Albuquerque, Cordeiro, Damião, Esteves, Freitas, Lobão, Meireles, Noronha`,
    'Responsável de compras, Responsável de operações',
  ),
  people(
    'it',
    `Niccolò, Chiara, Giosuè, Francesca, Matteo, Ilaria, Dario, Letizia, Noè, Beatrice, Davide, Ginevra, Ruggero, Silvia,
     Tommaso, Fiorella, Mosè, Caterina, Lapo, Alessia, Edoardo, Marisa, Corrado, Viola, Salomè, Umberto`,
    `Bianchi, D'Angelo, Cantù, De Luca, Forlì, Marchetti, Fumagalli, Dell'Acqua, Ferrante, Colleoni, Rinaldi, Corsini,
     Lombardi, Nardò, Zanetti, Grimaldi, Bellini, Pellegrini, Moretti, Alfieri, Barone, Calabrò, Donati, Esposito, Fioravanti,
     Guidi, Landini, Malaspina, Orsini, Parisi, Quaranta, Ricasoli, Sartori, Trevisan, Venier, Zorzi`,
    'Responsabile acquisti, Responsabile logistica',
  ),
  people(
    'pl',
    `Łukasz, Małgorzata, Paweł, Agnieszka, Michał, Żaneta, Stanisław, Bożena, Rafał, Sylwia, Wojciech, Kinga,
     Przemysław, Dorota, Bartłomiej, Zofia, Grzegorz, Iwona, Jędrzej, Hanna, Sławomir, Maja, Mikołaj, Ewa`,
    `Wójcik, Zając, Wróbel, Stępień, Kaźmierczak, Gołąb, Łuczak, Śliwa, Nowak, Mazur, Krawczyk, Dudek, Król, Pietrzak,
     Sikora, Bąk, Żak, Szewczyk, Kołodziej, Jóźwiak, Ciesielczyk, Pająk, Włodarczyk, Grzyb, Kędzior, Mróz, Ostrowicz,
     Piątek, Raczek, Świątek, Tomczak, Urban`,
    'Dyrekcja zakupów, Dział logistyki',
  ),
  people(
    'hu',
    `Zsófia, László, Réka, Ádám, Eszter, Gergő, Ágnes, Balázs, Ildikó, Dávid, Örs, Katalin, Márton, Tünde, István, Noémi,
     Bence, Győző, Luca, Szilárd`,
    `Szabó, Kővári, Németh, Tóth, Fülöp, Győri, Bíró, Halász, Kerekes, Mészáros, Sárközi, Török, Vörös, Zsoldos, Lukács,
     Pintér, Orsós, Fekete, Bodnár, Csáky, Dévényi, Erdős, Gáspár, Hegedűs, Juhász, Kádár, Lőrincz, Márkus`,
    'Beszerzési vezető',
  ),
  people(
    'ja',
    `Haruka, Shōta, Yūko, Kenji, Aiko, Daichi, Mei, Ryō, Sakura, Kōhei, Naomi, Takumi, Emi, Jun, Chihiro, Hiroshi, Kaori,
     Satoru, Yui, Tōru`,
    `Satō, Kobayashi, Itō, Watanabe, Katō, Yamaguchi, Saitō, Endō, Nakamura, Ōtsuka, Hayashi, Kōno, Shimizu, Fujiwara,
     Mori, Ueda, Tanabe, Sugimoto, Kuroda, Ōno, Arai, Chiba, Hirano, Iwasaki, Matsuo, Nishimura, Okada, Sakamoto`,
    'Purchasing Section Chief',
  ),
  people(
    'in',
    `Priya, Arjun, Ananya, Rohan, Kavya, Vikram, Meera, Sanjay, Divya, Aditya, Lakshmi, Karthik, Nisha, Rahul, Shreya,
     Manish, Pooja, Suresh, Asha, Nikhil`,
    `Raman, Deshpande, Iyer, Chatterjee, Nair, Kulkarni, Bhattacharya, Reddy, Menon, Joshi, Banerjee, Pillai, Gupta,
     Choudhury, Rao, Mehta, Kapoor, Sengupta, Varma, Patil, Agarwal, Basu, Chandra, Dutta, Ghosh, Hegde, Jain, Khanna`,
    'General Manager Operations',
  ),
  people(
    'vi',
    `Minh Anh, Thị Hương, Đức, Quỳnh, Văn Hùng, Thảo, Bảo, Ngọc Lan, Tuấn, Mỹ Linh, Hải Đăng, Thu Hà`,
    `Nguyễn, Trần, Lê, Phạm, Hoàng, Võ, Đặng, Bùi, Đỗ, Hồ, Ngô, Dương`,
    '',
  ),
  people(
    'tr',
    `Ayşe, Mehmet, Çağla, Emre, Gülşen, Oğuz, Zeynep, İsmail, Özge, Kağan, Şule, Barış, Elif, Yiğit`,
    `Yılmaz, Öztürk, Çelik, Şahin, Doğan, Kılıç, Aydın, Güneş, Özkan, Erdoğdu, Tunç, Bozkurt`,
    '',
  ),
]

export const CULTURE_INDEX = new Map(CULTURES.map(({ code }, index) => [code, index]))

/** Titles with decision power, and titles without; tags such as "decision maker" go with the first. */
export const DECIDERS = list(
  'CEO, Managing Director, CFO, COO, CIO, VP Operations, Head of IT, Head of Procurement, Owner, Director of Finance',
)
export const OTHER_TITLES = list(
  `IT Manager, Operations Manager, Purchasing Manager, Office Manager, Project Manager, Site Manager, Controller,
   HR Manager, Team Lead Dispatch, Shift Supervisor, Executive Assistant, Data Protection Officer, Systems Administrator,
   Buyer, Business Analyst, Quality Manager, Customer Service Manager, Accountant`,
)
export const LONE_TITLES = list('Consultant, Interim Manager, Architect, Management Consultant, Auditor')

/** The members of the demo; larger teams continue with names of all cultures. */
export const TEAM = [
  { name: 'Zoë Lindqvist', email: 'zoe', role: 'owner', timezone: 'Europe/Stockholm' },
  { name: 'Łukasz Wójcik', email: 'lukasz', role: 'admin', timezone: 'Europe/Warsaw' },
  { name: "Siobhán O'Brien", email: 'siobhan', role: 'member', timezone: 'Europe/Dublin' },
  { name: 'Søren Kjærgaard', email: 'soren', role: 'member', timezone: 'Europe/Copenhagen' },
  { name: 'Inés de la Cruz', email: 'ines', role: 'member', timezone: 'Europe/Madrid' },
  { name: 'Minh Anh Nguyễn', email: 'minh.anh', role: 'viewer', timezone: 'Europe/Berlin' },
] as const
