import { fold } from '../../pure/fold.ts'

// Common first names, to find out which word of a name is the first one.

const NAMES = `
  aaron abdul abdullah abigail ada adam adele adriana adrian adrien afonso agata agnes agnieszka ahmad ahmed aisha aiko akira alain
  alan alba albert alberto alejandra alejandro aleksander aleksandra alena ales alessandra alessandro alessia alex alexander
  alexandra alexandre alexei alexis alfred alfredo ali alice alicia alicja alina aline allison alma alois alvaro amanda amelia
  amelie amir amy ana anastasia anders andrea andreas andrei andres andrew andrzej andy angel angela angelika angelina angelo anh
  anita anja anke ann anna annabelle anne annegret anneke anneliese annemarie annette annika anouk anton antonella antonia antonin
  antonio antoine antonina arek ariane arjen armando armin arne arnaud arthur arturo artur asa astrid attila audrey aurelie aurora
  axel aylin ayse balazs barbara barbora bartek bartosz beata beate beatrice beatriz ben benedikt benjamin benoit bernadette
  bernardo bernd bernhard bertrand bianca bilal birgit bjorn boris boguslaw bozena brian bridget brigitte britta bruna bruno
  belen camila camille carina carl carla carlo carlos carmen carol carola carolina caroline carsten caterina catherine cecile cecilia
  celine cem charles charlotte chiara chloe christa christel christian christiane christina christine christof christophe
  christopher clara claire clarissa claudia claudio clemence clemens coline connor constanze cornelia cristian cristiano cristina
  cynthia dagmar dalia damian damien daniel daniela daniele danielle danuta dario dariusz david davide deborah denis denise dennis
  detlef diana diane didier diego dieter dietmar dirk dmitri dolores dominik dominique donatella donna dora doris dorota
  dorothea dorothee duarte edith edgar eduardo edward edyta eileen elena eleonora eleni elif elisa elisabeth elizabeth elise eliska
  ella ellen elke elodie elsa elvira emanuela emil emile emilia emilie emilio emily emine emma emmanuel emmanuelle enrico enrique
  erich eric erik erika ernesto ernst erwin esra esteban ester esther etienne eugen eugenia eva evan evelyn ewa fabian fabien fabio
  fabrice fatima fatma federica federico felicitas felipe felix ferdinand fernanda fernando filip filippo finn fiona flavia flora
  florence florian franca francesca francesco francine francisca francisco franck francois francoise frank franz franziska
  frauke frederic frederik freya frida frieda friedrich fritz gabor gabriel gabriela gabriele gabriella gabrielle gaelle gemma
  georg george georgia georgina gerald geraldine gerard gerda gerhard gerlinde gero gertrud gesa gianluca gianni gilles gina giorgia
  giorgio giovanna giovanni gisela gitte giulia giulio giuseppe gloria goran grace grazyna greta gretchen grit grzegorz guido
  guillaume guillermo gunter gunther gustav gustavo guy hakan hanna hannah hannelore hannes hans hansjorg harald hartmut hassan
  hatice heather hector hedwig heidi heike heiko heiner heinrich heinz helen helena helene helga helmut hendrik henri henriette
  henrik henrique herbert herve hilde hildegard hiroshi holger horst hubert hugo ian ibrahim ida ignacio igor ikram iker ilaria
  ilka ilona ilse imke imran ines inga inge ingeborg ingo ingrid inka ioana irena irene irina iris irma isabel isabela isabell
  isabelle isidora ismail istvan ivan ivana ivo ivonne izabela jacek jacqueline jacob jacques jadwiga jaime jakob jakub james
  jan jana jane janet janina janine janis janusz jaroslav jaroslaw jasmin jason javier jean jeanette jeanne jelena jennifer jenny
  jens jeremy jeroen jerome jerzy jesper jessica jesus jette jill jin jiri joachim joan joana joanna joao joaquin jochen joel
  joelle johan johann johanna johannes john jon jonas jonathan joost jorg jorge jorn jose josef josefa josefine joseph josephine
  josh joshua joyce juan juana juanita judith jukka julia julian juliane julie julien juliette julio jurgen jurek justine justyna
  jutta kaja kai kamil kamila karel karen karin karina karl karla karol karolina karsten kaspar katarina katarzyna kate katharina
  katherine kathleen kathrin kathryn katie katja katrin kay kazimierz keith kerstin kevin khalid kim kinga kirsten kirstin kitty
  klara klaus knut konrad konstantin krisztina kristian kristin kristina kristine krystyna krzysztof kurt kyle lara larissa lars
  laszlo laura laure laurence laurent laurin lea leah leandro leila lena lene lennart leni leo leon leona leonardo leonie leopold
  lieselotte liesbeth lilian liliana lilly lina linda lisa lise lisette liv livia ljiljana lorenzo loretta lothar lotte louis
  louise luc luca lucas lucia luciana luciano lucie lucien lucy lucyna ludmila ludovic ludwig luigi luis luisa luise lukas lukasz
  luz lydia maarten madeleine madeline mads magali magda magdalena maike maja malgorzata malte mandy manfred manuel manuela mara
  marc marcel marcela marcelo marcin marco marcos marcus marek margaret margarete margarita margherita margit margot maria
  mariana marianne marie mariella marieke marielle marija marijke marika marina mario marion marisa marita marius marjan mark markus
  marlene marlies marta marten martha martina martine mary marzena masa massimo mateo mateusz mathias mathieu mathilde matilda
  matilde matteo matthew matthias matthieu maud maureen maurice mauricio maurizio max maxime maximilian maya megan mehdi mehmet
  melanie melinda melissa mercedes merle mette mia michaela michal michele michel micheline michelle miguel mihai mika mikael mike
  mikkel milan milena milos mina mira miriam mirjam mirko miroslav misaki moana mohamed mohammad mohammed moira monica monika monique
  moritz murat muriel mustafa nadia nadine nadja nancy natacha natalia natalie natasha nathalie nathan nelly niamh nicholas nick
  niclas nico nicola nicolas nicole niels niklas nikolai nikos nils nina noah noel noemi nora norbert norma nuno nuria olaf oleg
  olga olivia olivier omar orsolya oscar oskar osman ottilie otto pablo paloma pamela paola paolo pascal pascale patrice patricia
  patrick patrik patrizia paul paula paulina pauline paulo pavel pawel pedro peggy penelope per petar peter petr petra philip
  philipp philippe phoebe pia pier piero pierre pieter pietro pilar piotr pirmin priscilla przemyslaw quentin rachel radek radoslaw
  rafael rafal raffaele ralf ralph ramona ramon ranja raphael raquel raul rebecca regina regine reiner reinhard reinhold rejane
  remi renata renate renato rene reto riccardo ricarda ricardo richard rico rieke rita robert roberta roberto robin rocio rodrigo
  roger roland rolf romain roman romina romy ronald ronja rosa rosalie rosario rosemarie rosita roswitha rudi rudolf rupert ruth
  ryan ryszard sabina sabine sabrina salma salvador salvatore sam samantha samir samuel sandra sandrine santiago sara sarah
  sascha saskia sean sebastian sebastien selina selma serge sergei sergey sergio severin severine sharon shirin siegfried sigrid
  silke silvana silvia silvie silvio simon simona simone siobhan slawomir sofia sofie solene sonia sonja sophia sophie soren stanislav
  stanislaw stefan stefania stefanie stefano steffen stella stephan stephane stephanie stephen steve steven susan susana susann
  susanna susanne suzanne svenja sven svetlana swantje sybille sylvain sylvia sylvie sylwester szymon tadeusz taiga takeshi tamara
  tania tanja taro tatiana tatjana teresa terez thea theo theodor theresa therese theresia thibault thierry thilo thomas thorsten
  tiago tiffany till tilo tim timo tina tobias tom tomas tomasz tommaso tomoko toni tony torsten tove tristan ulf ulla ulli ulrich
  ulrike urs ursula ute uta uwe vaclav valentina valeria valerie vanessa vera verena veronica veronika veronique vicente victor
  victoria vincent vincenzo viola violeta virginia virginie vittoria viviane vladimir volker walburga waltraud waldemar wanda
  werner wieland wilfried wilhelm willem william willi winfried witold wojciech wolfgang xavier xenia ximena yael yann yannick yasmin
  yolanda yoko yuki yusuf yvan yves yvette yvonne zbigniew zdenek zeynep zita zoe zofia zoltan zsofia zuzana zuzanna`

/** Those that many people have as their surname. */
const SURNAMES = `
  abdullah adam ahmad ahmed albert alexander alfred ali andreas andre andrew angel anton arnaud arthur axel ben benedikt benjamin bernd
  bernhard bertrand bilal boris brian bruno carl carlo carlos charles christian claude clemens conrad connor damian daniel david dennis
  dietmar dietrich dirk dominik edgar edward eduardo emanuel emil emmanuel enrique erich eric ernesto ernst erwin eugen evan evans evelyn
  felix ferdinand florian florence francis francois frank frederic friedrich fritz gabriel georg george gerard gerhard gilles giovanni
  grace guido guillaume gunther gustav guy hans harald hassan hector heinrich heinz helmut henri henry herbert hermann hubert
  hugo ian ibrahim igor ismail ivan jacob jacques jaime jakob james jason jean jerome jim jin joachim joel johannes john jonas jordan
  jose josef joseph josh juan julian julien jung karl kay keith khalid kevin konrad konstantin kurt lambert lars laurent leon leonardo
  leopold lorenz lorenzo lothar louis luc luca lucas ludwig luis lucy luna marc marcel marco marcus marie marion mark markus martin
  mason matteo matthias maurice max maxime michael michel miguel mohamed mohammad mohammed moritz murat nathan nicolas
  nicole nico noel norman oliver omar oscar oskar osman otto pablo pascal patrick paul paulo pedro peter philipp philippe pierre
  pilar rafael ralf ralph ramon raphael raul reinhard reinhold remi rene richard robert roberto robin roger roland roman romain ronald
  rosario rudolf rupert ryan salvador sam samuel santiago sean sebastian serge siegfried silva simon stefan stephan
  stephen steven taro theo thierry thomas till tim tom tomas tony tristan ulrich urban valentin victor vincent volker
  walter werner wilhelm william xavier yusuf`

const ALL: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/))
const ALSO_SURNAMES: ReadonlySet<string> = new Set(SURNAMES.trim().split(/\s+/))

/** Whether a word, or each part of one with hyphens, is a common first name, in any script's usual transcription. */
export const isGivenName = (word: string): boolean =>
  fold(word)
    .split('-')
    .every((part) => ALL.has(part))

/** Whether it is one that is hardly ever a surname. */
export const isOnlyGivenName = (word: string): boolean =>
  isGivenName(word) &&
  fold(word)
    .split('-')
    .some((part) => !ALSO_SURNAMES.has(part))
