// What the fixtures say. A block is a heading, a paragraph, a list, a table or fields of a form; all text is written for this purpose.

/**
 * @typedef {{ heading: string } | { text: string } | { list: string[] } | { table: string[][] } | { fields: [string, string][] }} Block
 */

const harbour = [
  { heading: "The harbour office" },
  {
    text: "The office of the harbour opens at six, before the first ferry leaves. A clerk reads the flags on the pier, fills in the daily file and fixes the timetable beside the door. Efficient as she is, the final figures are seldom finished before five in the afternoon, when the fishing fleet comes back and the official scale has to be staffed by two people.",
  },
  {
    text: "Offices like this one are rare today. Most ports send their figures to the capital by wire, and what was once a shelf of leather books is now a single line in a table. The clerk keeps the books anyway: \u201cPaper does not need a password,\u201d she says, \u201cand it has never asked me to wait.\u201d",
  },
  { heading: "What the books tell" },
  {
    text: "In 1912 the first steam ferry arrived, 42 metres long, with room for 310 passengers and 18 carriages. Its fare was 2.50 for adults and 1.25 for children; dogs travelled free. The difference between the winter and the summer schedule was only twenty minutes, and the affluent visitors of the baths, who filled the first-class cabins, complained about it in every year of which the books have kept a record.",
  },
  {
    list: [
      "Flags are raised at half past five.",
      "Freight is weighed before it is loaded.",
      "The fog bell rings twice a minute.",
    ],
  },
  {
    text: "A storm in 1953 took the old breakwater. The new one was built of basalt blocks, each of which weighs more than four tonnes, and it took a workforce of ninety a little over three years. Since then no ship has been lost inside the bar, although two have come close.",
  },
];

const bees = [
  { heading: "Notes on keeping bees" },
  {
    text: "A healthy colony in early summer holds between forty and sixty thousand workers, a few hundred drones and one queen. The keeper disturbs it as rarely as possible: every opening of the hive costs the bees warmth and a good part of an afternoon to repair the seals that were broken.",
  },
  {
    text: "Weight is the best sign of what goes on inside. A scale below the hive shows the start of the nectar flow to the hour, and the loss on the day of a swarm. On a strong day in May the gain may be three kilograms; in a rainy week the same colony eats one of them again without leaving the hive.",
  },
  {
    text: "Swarming is prevented by giving room in time. When the brood frames are full, a second box is put on top, and the oldest combs are moved to the outside. Queen cells are looked for every seventh day, because a cell is capped on the eighth, and a swarm leaves on the first warm noon after that.",
  },
  { heading: "The honey harvest" },
  {
    text: "Honey is ripe when it no longer drips from a shaken comb. Its water content is then below eighteen per cent, and it will keep for years. Combs are taken in the evening, uncapped with a fork, and spun in a cool room; the sieved honey is skimmed on the third day and stirred until it is smooth.",
  },
  {
    text: "Whatever is taken has to be given back in another form before the winter. Fifteen kilograms of sugar, dissolved in nine litres of water, bring a colony through to the willow bloom. Feeding is finished by the middle of September, so that the winter bees are not worn out by the work of storing it.",
  },
];

const invoice = [
  { heading: "Invoice 2024-0117" },
  { text: "Northern Lamp Works, 14 Quay Street. Date of supply: 3 March 2024." },
  {
    table: [
      ["Item", "Quantity", "Price", "Sum"],
      ["Ship lantern, brass", "4", "118.00", "472.00"],
      ["Wick, cotton, 10 mm", "25", "0.80", "20.00"],
      ["Lamp oil, clear", "12", "6.45", "77.40"],
      ["Glass chimney", "6", "9.90", "59.40"],
      ["Delivery to the pier", "1", "15.00", "15.00"],
      ["Total", "", "", "643.80"],
    ],
  },
  {
    text: "Please pay within thirty days. Goods remain ours until they are paid for; breakages must be reported within a week of delivery.",
  },
];

const members = [
  { heading: "Application for membership" },
  { text: "Fill in all fields in block letters. The secretary answers within two weeks." },
  {
    fields: [
      ["Family name", "Okafor"],
      ["First name", "Adaeze"],
      ["Town", "Port Alder"],
      ["Year of birth", "1987"],
    ],
  },
  {
    text: "The yearly fee is 24.00 and is due on the first of January. Members may borrow two boats at a time.",
  },
];

const hebrew = [
  { heading: "הספרייה העירונית" },
  {
    text: "הספרייה נפתחת בכל בוקר בשעה שמונה. במדפים עומדים ספרים רבים, וביניהם גם מפות ישנות של הנמל. מי שרוצה לשאול ספר צריך כרטיס קורא.",
  },
  {
    text: "הילדים אוהבים את הפינה ליד החלון. בימי שלישי קוראים שם סיפורים בקול רם, ואחר כך מציירים את מה ששמעו.",
  },
  { text: "הספרן עובד כאן כבר שנים רבות, והוא מכיר כל ספר וכל קורא." },
];

const arabic = [
  { heading: "السوق القديم" },
  {
    text: "يفتح السوق القديم أبوابه كل صباح قبل شروق الشمس. يأتي الباعة من القرى القريبة ومعهم الخضار والفواكه.",
  },
  {
    text: "في وسط السوق بئر عميقة يشرب منها الناس والدواب. وفي المساء يعود كل شيء إلى السكون وتغلق الدكاكين.",
  },
];

const chinese = [
  { heading: "山里的茶园" },
  {
    text: "春天来得很早，山上的茶树已经长出新芽。采茶的人天不亮就上山，因为早晨的叶子最嫩，香气也最浓。一个熟练的工人一天能采五公斤鲜叶。",
  },
  {
    text: "采下来的叶子要先摊开晾干，然后在大锅里慢慢炒。火候全凭经验：太大会焦，太小则没有香味。炒好的茶叶放在竹盒里，可以保存一年。",
  },
  { text: "客人来了，主人总是先泡一壶茶，再谈别的事情。" },
];

const japanese = [
  { heading: "港の朝" },
  {
    text: "朝の港は静かです。漁船が帰ってくると、市場の人たちが箱を並べて待っています。今日はイワシが多く、サバは少し高いそうです。",
  },
  {
    text: "子どもたちは学校へ行く前に、堤防の上で船の名前を数えます。ひらがなで書かれた名前がいちばん読みやすいと言います。",
  },
];

const korean = [
  { heading: "바닷가 마을" },
  {
    text: "바닷가 마을에는 작은 등대가 하나 있습니다. 등대지기는 매일 저녁 불을 켜고 아침에 불을 끕니다. 안개가 짙은 날에는 종을 칩니다.",
  },
  {
    text: "겨울이 오면 어부들은 그물을 고치고 배를 칠합니다. 아이들은 눈 위에서 연을 날리며 봄을 기다립니다.",
  },
];

const french = [
  { heading: "Le jardin d\u2019hiver" },
  {
    text: "À côté de la gare, derrière une façade défraîchie, se cache un jardin d\u2019hiver où l\u2019on cultive des orangers depuis 1874. Le gardien, un homme affable, offre volontiers une visite aux élèves qui s\u2019y réfugient dès qu\u2019il pleut.",
  },
  {
    text: "Les plus vieux arbres, coiffés d\u2019étiquettes à l\u2019encre effacée, fleurissent encore chaque février. « Il suffit d\u2019un peu de chaleur », dit-il, « et de beaucoup de patience. »",
  },
];

const german = [
  { heading: "Über die Brücke" },
  {
    text: "Die alte Brücke führt in sieben Bögen über den Fluß. Früher mußte jeder Händler an ihrem Fuß einen Zoll entrichten; heute gehören die Häuschen der Zöllner zu den beliebtesten Ausflugszielen der Gegend. Geöffnet ist täglich außer montags.",
  },
  {
    text: "Wer schwindelfrei ist, steigt über die Wendeltreppe auf den Mittelpfeiler. Von dort überblickt man die Weinberge, die Schiffsmühle und, bei klarer Sicht, die Ausläufer des Gebirges.",
  },
];

export const documents = {
  harbour,
  bees,
  invoice,
  members,
  hebrew,
  arabic,
  chinese,
  japanese,
  korean,
  french,
  german,
};

/** The text of a document, as somebody who reads it aloud would say it. @param {Block[]} blocks */
export function sourceText(blocks) {
  return blocks
    .map((block) => {
      if ("heading" in block) return block.heading;
      if ("text" in block) return block.text;
      if ("list" in block) return block.list.map((item) => `• ${item}`).join("\n");
      if ("table" in block)
        return block.table.map((row) => row.filter((cell) => cell !== "").join("\t")).join("\n");
      return block.fields.map(([label, value]) => `${label} ${value}`).join("\n");
    })
    .join("\n\n");
}
