"""The words that make_corpus.py composes documents from.

Written for this repository. A topic is a list of sentences that can stand in any
order; {slots} are filled from the lists of the topic's language. Documents of one
topic share turns of phrase, as real ones do, and are still far from near-duplicates.
"""

ENGLISH = {
    "name": ["Ada", "Bram", "Clara", "Dov", "Edith", "Farid", "Greta", "Hugo", "Ines", "Jonas",
             "Karla", "Lev", "Mina", "Nils", "Oona", "Pavel"],
    "place": ["the old mill", "the upper meadow", "the ferry landing", "the school yard",
              "the brick kiln", "the north gate", "the lower bridge", "the chapel hill",
              "the timber yard", "the market hall"],
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "month": ["January", "February", "March", "April", "May", "June", "July", "August",
              "September", "October", "November", "December"],
    "number": ["four", "five", "six", "seven", "nine", "eleven", "twelve", "fifteen", "twenty",
               "thirty"],
    "plant": ["runner beans", "leeks", "winter cabbage", "beetroot", "garlic", "chard",
              "broad beans", "parsnips", "kohlrabi", "sorrel"],
    "weather": ["a dry wind", "steady drizzle", "the first frost", "a week of sun",
                "two days of fog", "heavy showers", "an early thaw", "a still, grey morning"],
    "tool": ["the long ladder", "the hand saw", "the torque wrench", "the small lathe",
             "the soldering iron", "the bench vice", "the chain press", "the spoke key"],
    "book": ["an atlas of lighthouses", "a grammar of Frisian", "a history of salt",
             "a novel about surveyors", "the memoirs of a beekeeper", "a guide to mosses",
             "a book of harbour songs", "a study of canal locks"],
    "dish": ["barley soup", "plum dumplings", "lentil stew", "rye bread", "potato cakes",
             "pickled turnips", "onion tart", "bean salad"],
    "bird": ["a kingfisher", "two herons", "a pair of dippers", "a lone crane", "some wagtails",
             "a young buzzard", "three cormorants", "a woodcock"],
}

ENGLISH_TOPICS = {
    "garden": [
        "We sowed {plant} in the bed behind the shed before {weather} came through.",
        "{name} brought {number} trays of seedlings and took home as many empty pots.",
        "The slugs have found the {plant} again, so we laid boards to gather them at dusk.",
        "After {weather} the soil was too heavy to work, and we cleaned tools instead.",
        "Whoever left the water butt open on {day} should know that it was empty by evening.",
        "The compost has cooled; {name} turned it twice and thinks it will be ready by {month}.",
        "A row of {plant} went to seed, and we let it stand for the bees.",
        "{name} and {name2} mended the fence near {place} with wire from the scrap heap.",
        "We agreed to share the surplus of {plant} at the gate, free to anyone with a bag.",
        "The new path is {number} paces long and does not turn to mud.",
        "Next year {name} wants to try {plant} under glass, which nobody here has done.",
        "The frost line crept down to {place}, but the cloches held.",
        "We counted {number} ripe heads on {day} and a single one two days later.",
    ],
    "library": [
        "The reading room opens {number} minutes earlier on {day}, and the lamps are fixed.",
        "{name} asked for {book}, which had not been lent out since the move.",
        "Someone returned {book} with a pressed fern between its pages.",
        "We have put {number} boxes of duplicates in the hall; take what you like.",
        "The card catalogue is finished up to the letter {letter}, and it took until {month}.",
        "{name} read to the children from {book} and was asked to come again.",
        "A leak above the map cabinet spoiled one sheet and spared {book} by a hand's breadth.",
        "Our loan from the county includes {book} and a folder of engravings of {place}.",
        "The quiet hour on {day} has been kept better than anybody expected.",
        "If you borrow {book}, please mind the loose map at the back.",
        "{name2} is rebinding {number} volumes in the attic and welcomes company.",
        "The oldest item we own turns out to be {book}, stamped in two languages.",
        "Fines are abolished; {name} argued for it at three meetings in a row.",
    ],
    "river": [
        "From {place} the path follows the water for {number} miles without a stile.",
        "Near the weir we saw {bird} fishing in the slack water.",
        "The ferry was not running because of {weather}, so we crossed further up.",
        "{name} slipped on the stepping stones and laughed until the echo came back.",
        "The level marked on the post was {number} inches above last {month}'s.",
        "We ate our bread under an alder while {weather} passed over the far bank.",
        "A farmer near {place} told us the otters had returned in {month}.",
        "We came upon {bird} on the gravel bank, quite unconcerned by the dog.",
        "The map shows a footbridge where only two piers are left standing.",
        "{name} drew the bend of the river in a notebook that got wet all the same.",
        "We turned back at {place} when the light began to go.",
        "Take the upper track after rain: the lower one is under water by {day}.",
        "On the way home {bird} flew ahead of us from post to post.",
    ],
    "workshop": [
        "{name} spent {day} truing wheels and left {number} of them hanging by the door.",
        "Please put {tool} back on its hook; we looked for it half the evening.",
        "A customer from {place} paid for the repair with a jar of honey.",
        "The order of brake cable will last until {month} if nobody cuts it too long.",
        "We took apart a hub that had not seen grease for {number} years.",
        "{tool2} needs a new handle, and {name} has a piece of ash that would do.",
        "On {day} the course for beginners covers punctures, chains and patience.",
        "The frame with the dented tube went to {name}, who will braze it.",
        "Nobody may use {tool} alone before having been shown how.",
        "We sold {number} bicycles in {month}, more than in the whole spring.",
        "The stove smoked during {weather}, and we worked with the doors open.",
        "{name2} built a trailer out of two wrecks and carried the piano to {place} on it.",
        "A box of odd bolts stands by the window for those who like puzzles.",
    ],
    "kitchen": [
        "For {number} people {name} cooked {dish} in the big pot, and none was left.",
        "The oven runs hot on the left, so turn the trays when the clock strikes.",
        "{dish2} keeps for {number} days in the cellar if the lid fits.",
        "We traded a crate of apples for flour at {place} on {day}.",
        "{name} insists that {dish} wants a spoon of vinegar at the very end.",
        "During {weather} the kitchen was the only warm room in the house.",
        "The children shelled peas with {name2} and ate every third pod.",
        "Nobody wrote down how the {dish2} was made, and now we argue about it.",
        "In {month} we bottle plums; bring jars with wide necks.",
        "The knife that went missing was in the drawer with the candles.",
        "{name} burned the first batch of {dish}, scraped it and served it as a salad.",
        "We salt {plant} in layers and weigh them down with a river stone.",
        "Supper is at {number} past the hour, whatever the bell says.",
    ],
    "council": [
        "The meeting of {day} began late because the key to the hall was at {place}.",
        "{name} asked when the lamps near {place} would be repaired and got no date.",
        "By {number} votes to three we decided to keep the weekly market.",
        "The road to {place2} stays closed to lorries until the end of {month}.",
        "A letter from the water board was read aloud and understood by nobody.",
        "{name2} reported that the roof fund stands at {number} hundred crowns.",
        "Several residents complained about the bells; several others about the complaint.",
        "The bench in memory of the old postman will stand at {place}.",
        "We thanked {name} for {number} years of keeping the minutes.",
        "The plan for a skating pond was put off again, this time because of {weather}.",
        "Anyone who wants to look at the drawings can do so at {place} on {day}.",
        "The bus will stop at {place2} on request, which means waving.",
        "There being no other business, {name} opened the windows and the meeting dissolved.",
    ],
}

GERMAN = {
    "name": ["Anke", "Bertram", "Cosima", "Detlef", "Elke", "Friedhelm", "Gudrun", "Heiner",
             "Irmgard", "Jost", "Katrin", "Lothar"],
    "ort": ["am alten Zollhaus", "hinter der Ziegelei", "an der Fähre", "auf dem Schulhof",
            "beim Wasserturm", "am Kirchberg", "vor der Markthalle", "an der Schleuse"],
    "tag": ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
    "zahl": ["drei", "vier", "fünf", "sieben", "acht", "elf", "zwölf", "zwanzig"],
    "monat": ["Januar", "Februar", "März", "April", "Mai", "Juni", "September", "November"],
    "stueck": ["ein Walzer", "ein Kanon", "eine kleine Suite", "ein Wanderlied", "eine Ballade",
               "ein langsamer Satz", "ein Tanz aus dem Norden", "ein Choral"],
    "zug": ["der Frühzug", "der Triebwagen", "der Schienenbus", "der Bummelzug",
            "der letzte Zug", "der Güterzug", "der Nachtzug"],
}

GERMAN_TOPICS = {
    "chor": [
        "Am {tag} proben wir {ort}, weil der Saal gestrichen wird.",
        "{name} hat {zahl} neue Notenblätter kopiert und sie nach Stimmen geordnet.",
        "Zum Schluss kam {stueck} an die Reihe, und kaum jemand konnte die Noten lesen.",
        "Im {monat} fehlten im Tenor wieder {zahl} Leute, und der Bass war zu laut.",
        "Wer {name2} abholen kann, möge sich bis {tag} melden.",
        "Das Klavier ist verstimmt, aber niemand will den Stimmer bezahlen.",
        "Für das Fest {ort} brauchen wir Bänke, Decken und gutes Wetter.",
        "{stueck} klingt einen halben Ton tiefer besser, meint {name}.",
        "Nach der Probe blieb ein Schal liegen; er hängt jetzt im Flur.",
        "Die Kasse zeigt {zahl} Mark mehr, als im Buch steht.",
        "Im {monat} fahren wir ans Meer und singen dort für Brot und Fisch.",
        "{name2} übernimmt das Dirigieren, solange die Leiterin verreist ist.",
    ],
    "bahn": [
        "Seit {monat} hält {zug} nicht mehr {ort}, und die Schüler laufen.",
        "{name} sah vom Stellwerk aus, wie {zug} ohne Licht vorbeifuhr.",
        "Auf Gleis {zahl} liegt Schnee, den keiner räumen will.",
        "Am {tag} kam {zug} so pünktlich, dass ihn alle verpassten.",
        "Der Fahrplan gilt bis {monat}, danach wird neu verhandelt.",
        "Im Wartesaal brennt wieder der Ofen, und {name2} bringt Kohlen.",
        "Die Schranke {ort} bleibt zu, bis jemand anruft.",
        "{name} sammelt Fahrkarten und besitzt schon {zahl} Schachteln voll.",
        "Zwischen den Tunneln ist {zug} zu hören, lange bevor er zu sehen ist.",
        "Am {tag} werden die Schwellen getauscht; bitte Umleitung beachten.",
        "Der Bahnhofsvorsteher grüßt jeden, auch wenn {zug} verspätet ist.",
        "Ein Koffer mit {zahl} Hüten wurde gefunden und nicht abgeholt.",
    ],
}

RUSSIAN = {
    "name": ["Анна", "Вера", "Дарья", "Зоя", "Инна", "Ксения", "Марфа", "Нина", "Ольга", "Полина",
             "Софья", "Ульяна"],
    "place": ["у старой пристани", "за мельницей", "на рыночной площади", "возле школы",
              "у водонапорной башни", "на дальнем лугу", "под мостом", "у северных ворот"],
    "day": ["в понедельник", "во вторник", "в среду", "в четверг", "в пятницу", "в субботу",
            "в воскресенье"],
    "number": ["пять", "шесть", "семь", "восемь", "девять", "десять", "двенадцать", "двадцать"],
    "thing": ["медный чайник", "связку ключей", "старый компас", "карту озёр", "моток верёвки",
              "корзину груш", "деревянные сани", "стопку тетрадей"],
    "weather": ["первый снег", "тёплый ветер", "долгий дождь", "густой туман", "ранний мороз",
                "тихий листопад"],
}

RUSSIAN_TOPICS = {
    "village": [
        "{name} нашла {place} {thing} и повесила объявление на столбе.",
        "Собрание перенесли, потому что {day} отключат свет.",
        "Лодку чинили всей улицей, и всё равно она пропускает воду.",
        "Почта приходит {day}, если дорога не размыта.",
        "Когда начался {weather}, дети сидели {place} и считали вагоны.",
        "{name2} обещает вернуть {thing} до конца месяца.",
        "В колодце воды стало больше, чем было {number} лет назад.",
        "Мы посадили {number} яблонь, и прижились почти все.",
        "Сосед рассказал, как {weather} застал его {place}.",
        "На ярмарке можно обменять {thing} на мешок муки.",
        "Крышу сарая покрасили заново, краски хватило и на забор.",
        "{name} играет на баяне громче всех, но только {day}.",
    ],
    "station": [
        "Метеостанция {place} записала за ночь {number} градусов мороза.",
        "Приборы проверяет {name}, журнал ведёт {name2}.",
        "Барометр упал, и {day} ждут перемены погоды.",
        "Лёд на озере держит человека, но не лошадь.",
        "По нашим записям {weather} приходит всё позже.",
        "Флюгер заржавел и показывает только на восток.",
        "{name2} привезла {thing}, чтобы скоротать зимние вечера.",
        "Снега {place} намело на {number} ладоней.",
        "Сводку передают по радио {day} после новостей.",
        "Если будет {weather}, дорогу к вышке закроют.",
        "Старый термометр отстаёт от нового на {number} делений.",
        "Летом сюда приходят студенты и спорят об облаках.",
    ],
}

JAPANESE = {
    "name": ["田村", "小川", "森本", "石井", "高木", "松田", "清水", "野口", "藤原", "青山"],
    "place": ["川べり", "古い駅舎", "山の茶屋", "港の倉庫", "神社の裏", "坂の上", "図書館の前",
              "橋のたもと"],
    "day": ["月曜日", "火曜日", "水曜日", "木曜日", "金曜日", "土曜日", "日曜日"],
    "thing": ["干し柿", "古い地図", "竹の笛", "赤い傘", "木の椅子", "青い皿", "手編みの籠",
              "白い封筒"],
    "number": ["三", "四", "五", "七", "八", "十二", "二十"],
    "season": ["梅の咲くころ", "梅雨の前", "夏の終わり", "稲刈りのあと", "初雪の朝", "春の彼岸"],
}

JAPANESE_TOPICS = {
    "town": [
        "{season}、{name}さんは{place}で小さな市を開きました。",
        "{day}の朝は霧が深く、渡し船は昼まで出ませんでした。",
        "{name2}さんが{thing}を持ってきて、みんなで分けました。",
        "{place}の井戸は、もう{number}年も使われていないそうです。",
        "子どもたちは{thing}を探して、夕方まで走り回っていました。",
        "次の集まりは{day}の夜、いつもの部屋で行います。",
        "屋根の修理には{number}日かかり、雨は一度も降りませんでした。",
        "誰かが忘れた{thing}は、受付の棚に置いてあります。",
        "{name}さんの話では、{season}に鳥の群れが戻ってくるとのことです。",
        "古い時計は{number}分遅れていますが、直す人がいません。",
        "{place}まで歩くと、海からの風がよく通ります。",
        "当番の人は、帰る前に窓と火を必ず確かめてください。",
    ],
    "craft": [
        "今月の教室では、{name}さんが紙の漉き方を教えます。",
        "材料は{place}に届いているので、{day}までに運びましょう。",
        "出来上がった{thing}は、{season}の展示に並べる予定です。",
        "糊は薄めにして、乾くまで{number}時間ほど待ちます。",
        "初めての人でも、{thing}くらいなら一日で作れます。",
        "{name2}さんの刃物は、よく研いであるので気をつけてください。",
        "失敗した紙も捨てずに、{place}の箱へ入れておいてください。",
        "見学だけの方も歓迎しますが、席は{number}人分しかありません。",
        "染料の色は水によって変わり、{season}がいちばん澄んでいます。",
        "道具を借りるときは、帳面に名前と日付を書きます。",
        "{day}は炉に火を入れるので、早めに来てください。",
        "仕上げに{thing}の縁を布で磨くと、光がやわらかくなります。",
    ],
}

SHORT = ["Back at noon.", "Thank you, Greta!", "Key under the pot", "No milk today", "Ok",
         "See the other note", "Bis morgen!", "Спасибо, Вера", "ありがとう", "Boat sold.",
         "Soup is ready", "Wrong number, sorry"]

# One frame, another content each time: pairs have much text in common and are no
# near-duplicates.
NOTICE = """Weather notice {serial} for {region}.
The regional weather office informs the public that {event} is expected on \
{day} {date}, mainly between {start} and {end} o'clock. Wind may reach {wind} kilometres an \
hour, and up to {rain} millimetres of rain can fall within a few hours. {advice}
Please secure loose objects, keep away from open water, and look after neighbours who live \
alone. Call the emergency number only if people are in danger. The next notice will be \
published at {next} o'clock and read out on the local radio. This notice was prepared by \
{name} and replaces all earlier ones for the same area.
How to read our notices: yellow means that you should watch the sky, orange that you should \
change your plans, and red that you should stay where you are. A notice is withdrawn as soon \
as the danger has passed. We measure at eleven stations and ask two neighbouring services \
before we publish, and still we are wrong about one time in nine. If you have seen damage by \
wind or water, tell us where and when: your report makes the next notice better. Signs with \
the same colours hang at every town hall, at the harbour and in all post offices."""

NOTICE_SLOTS = {
    "region": ["the Elder valley", "Upper Saltmarsh", "the Three Lakes", "Port Wicken",
               "the Harrow hills", "Low Fenland", "the Kestrel coast", "East Tarn",
               "the Minster plain", "Gull island", "the Ashen forest", "Quarry country",
               "the Long Sands", "Millbrook", "the Grey uplands", "South Reach",
               "the Vale of Orrin", "Stonebridge", "the Heron marshes", "West Barrow"],
    "event": ["a severe thunderstorm", "strong and gusty wind", "persistent heavy rain",
              "freezing drizzle", "dense fog with black ice", "a sudden fall in temperature",
              "hail the size of walnuts", "drifting snow"],
    "advice": ["Trains may be late or cancelled.", "Leave the car at home if you can.",
               "Cellars near streams should be cleared now.",
               "Schools in the area stay open until lunch.",
               "Farmers are asked to bring animals under a roof.",
               "The toll bridge will be closed to high vehicles.",
               "Ferries run every second hour only.",
               "Mountain huts above the tree line are closed.",
               "Hikers should stay below the ridge paths.",
               "Street lamps will be lit during the whole day."],
}

# The rows of the table: goods of a village shop.
GOODS = ["Beeswax candle", "Oak breadboard", "Wool blanket", "Enamel kettle", "Garden twine",
         "Sheep's cheese", "Cast iron pan", "Linen apron", "Pear vinegar", "Felt slippers",
         "Willow basket", "Copper funnel", "Clay flute", "Ink bottle", "Hand cream",
         "Storm lantern", "Seed box", "Rye flour", "Tin whistle", "Wash brush"]

GOODS_SENTENCES = [
    "Made in small numbers by {name} in a workshop near {place}.",
    "The {good} has been in our catalogue for long, and it sells best in {month}.",
    "Every {good} differs a little, which we consider a virtue.",
    "Customers, \"even the grumpy ones\", tend to come back for a second {good}.",
    "Delivered on {day}s, wrapped in paper that you can plant, read or burn.",
    "We ship at most {number} of them a week; please be patient.",
    "Keep the {good} away from {weather} and it will last for years.",
    "{name2} tested it for {number} weeks at {place} and found two faults, both mended.",
    "Returns are welcome until the end of {month}, used or not.",
    "It pairs well with {dish}, or so the neighbours of {place} claim.",
    "The price includes {number} cents for the upkeep of the footpath.",
]
