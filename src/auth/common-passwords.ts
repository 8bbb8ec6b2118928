// Chosen by hand. Published collections of stolen passwords agree on what people take when twelve characters are asked
// for: rows of keys and digits, a word twice, a common word with digits or a year behind it, short sentences such as
// "I love you", and names of what they sign in to. Shorter passwords are refused anyway, so the many common ones with
// fewer characters are left out; a word of the second list counts with any digits and signs around it, and repeated.

/** In lower case, without spaces and signs. */
export const COMMON_PASSWORDS: readonly string[] = `
012345678910 012345678901 0123456789ab 098765432109 098765432123 100000000000 101010101010 102030405060 111111222222
111111111111 111122223333 112233445566 121212121212 123123123123 123123456456 123321123321 123412341234 123456123456
123456654321 123456789000 123456789012 123456789101 1234567891011 123456789123 1234567890123 12345678901234
123456789abc 1234567890qwertyuiop 123456789987654321 123456abcdef 123456qwerty 123654789654 123698745600 123abc123abc
123qwe123qwe 123qweasdzxc 1234qwerasdf 1234qwerasdfzxcv 147258369147 147258369000 159357159357 159753159753
159951159951 1a2b3c4d5e6f 1a2s3d4f5g6h 1q2w3e1q2w3e 1q2w3e4r1q2w3e4r 1q2w3e4r5t6y 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p
1qaz1qaz1qaz 1qaz2wsx3edc 1qaz2wsx1qaz2wsx 1qaz2wsx3edc4rfv 1qazxsw23edc 1qazxsw23edcvfr4 1qazzaq11qaz 2wsx3edc4rfv
234567890123 258456258456 321654987321 369258147000 789456123000 789456123789 987654321000 987654321012 987654321987
9876543210123 a1b2c3d4e5f6 a1s2d3f4g5h6 aa123456789a aaaaaabbbbbb aabbccddeeff abc123456789 abc123abc123 abcd12345678
abcdabcdabcd abcdef123456 abcdefabcdef abcdefgh1234 abcdefghijkl abcdefghijklm abcdefghijklmnop
abcdefghijklmnopqrstuvwxyz administrator administrator1 alexandralexander allforoneandoneforall asd123asd123 asdasdasdasd
asdf1234asdf asdfasdfasdf asdfgh123456 asdfghasdfgh asdfghjkl123 asdfghjkl1234 asdfghjklasdfghjkl asdfghjklqwertyuiop
asdfghjklzxcvbnm asdfjkl12345 asdfqwerzxcv azertyuiop12 azertyuiop123 azertyuiopqsdfghjklm berlinberlin
championsleague changemenow1 chocolatecake christopher1 correcthorse correcthorsebatterystaple counterstrike
counterstrike16 default12345 doesntmatter donotforgetme drowssapdrowssap enterenterenter everythingisok
fcbarcelona1 forgetpassword forgotmypassword fuckyoufuckyou fuckyouasshole gfhjkmgfhjkm godisgreat12 godislove123
hallohallo12 hallowelt123 harrypotter1 harrypotter12 hello12345678 hellohello12 hellohellohello helloworld12
helloworld123 ichliebedich ichliebedich1 idontknow123 idontknowwhat iforgotmypassword iloveyou1234 iloveyouforever
iloveyouiloveyou iloveyousomuch internet1234 isthisgoodenough ithinkthereforeiam itsasecret12 iwillsurvive jesuschrist1
jesusislord1 jesuslovesme justdoit1234 keinpasswort kennwort1234 killerkiller konichiwa123 letmeinletmein
letmeinplease leverkusen04 liverpoolfc1 loveisintheair loveloveloveyou loveme123456 lovelovelove lovemelovemenot
manchesterunited maythe4thbewithyou maytheforcebewithyou meinpasswort meinpasswort1 mercedesbenz michaeljackson
michaeljordan monkeymonkey motdepasse12 motdepasse123 mypassword12 mypassword123 mypassword1234 mypasswordis123
newpassword1 newpassword12 nopassword12 nopasswordneeded nothingtohide obiwankenobi opensesame12 opensesame123
p4ssw0rd1234 p455w0rd1234 pass12345678 pass1234pass1234 passpasspass passphrase12 passwd123456 passwordpassword
passwordpassword1 passw0rdpassw0rd password12password playstation3 playstation123 pokemonpokemon poiuytrewq12
poiuytrewqlkjhgfdsa princessprincess q1w2e3r4t5y6 q1w2e3r4t5y6u7i8 q1w2e3r4q1w2e3r4 qazwsx123456 qazwsxedcrfv
qazwsxedcrfvtgb qazwsxqazwsx qazxswedcvfr qqqqqqwwwwww qwaszxqwaszx qwe123qwe123 qweasdzxc123 qweqweqweqwe
qwer1234asdf qwer1234qwer qwerasdfzxcv qwerqwerqwer qwerty123456 qwerty12345678 qwertyasdfgh qwertyqwerty
qwertyuiop10 qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiopasdf qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm
qwertyuiopqwertyuiop qwertz123456 qwertzqwertz qwertzuiop12 qwertzuiop123 qwertzuiopasdfghjkl realmadrid12 rootroot1234
salasana1234 schalke04schalke secret123456 secretsecret senha1234567 servicepassword shitshitshit snoopsnoopsnoop
somebodythatiusedtoknow spartak12345 startstartstart startrek1234 starwars1234 starwarsstarwars summersummer
superman1234 supermanbatman superpassword supersecret1 supersecret12 supersecretpassword temppassword temppassword1
temppassword123 temporarypassword testpassword testpassword1 testpassword123 testtesttest thequickbrownfox
thisisapassword thisismypassword tobeornottobe topsecret123 trustno1trustno1 trustnooneever unbelievable
verysecretpassword wachtwoord12 wachtwoord123 whatdoyouwant whateverwhatever whatsmypassword whocares1234
wordpass1234 workworkwork yourpassword yourpassword1 zaq12wsxcde3 zaq12wsxzaq12wsx zxcvbnm12345 zxcvbnm123456
zxcvbnmasdfghjkl zxcvbnmzxcvbnm zzzzzzxxxxxx`
  .trim()
  .split(/\s+/)

/** Words that need no letters beside them to be guessed. */
export const COMMON_WORDS: readonly string[] = `
abc abcd abcdef access admin administrator alexander andrea angel apple april asdf asdfgh asdfghjkl august autumn azerty
bailey baseball basketball batman berlin bitch boss buster changeme charlie cheese chelsea chocolate computer company crm
dallas daniel dealbox december default demo diamond donald dragon eintracht elizabeth enter fall february flower football
freedom friday frühling fuckyou geheim george ginger guest hallo hallowelt hamburg hannah harley heaven hello herbst hockey
hunter iloveyou internet january jasmine jennifer jessica jesus jordan joshua july june kennwort killer klaus lakers letmein
liverpool login london love lovely maggie manager march marina martin master matrix matthew mercedes michael michelle
microsoft monday monkey morgan motdepasse mustang nicole november october office oliver orange pass passw passwd passwort
password passw0rd p4ssw0rd patrick pepper phoenix please pokemon porsche princess purple qazwsx qwer qwert qwerty qwertyuiop
qwertz qwertzuiop ranger richard robert root samantha samsung schalke schatz secret september server service shadow silver
snoopy soccer sommer sophie spring starwars start steven summer sunday sunshine superman support sweety system taylor temp
test tester testing thomas tigger tokyo trustno tuesday user vertrieb victoria vienna wachtwoord wednesday welcome
whatever wilkommen willkommen winter wordpress yankees zürich`
  .trim()
  .split(/\s+/)
