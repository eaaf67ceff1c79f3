import type { Channel, Status } from './market.ts';

/** Amounts are in currency units. */
export interface AccountPlan {
  readonly customerId: string;
  readonly name: string;
  readonly currency: string;
  readonly timeZone: string;
  readonly sharedBudget: { readonly name: string; readonly amount: number };
  /** `{}` stands for a term: `{} kaufen` and `zelt` give `zelt kaufen`. */
  readonly forms: readonly string[];
  readonly orderValue: number;
  /** A keyword in every ad group, always with the same criterion id. */
  readonly everywhere: string;
  readonly campaigns: readonly CampaignPlan[];
}

export interface CampaignPlan {
  readonly name: string;
  readonly budget: number | { readonly share: number };
  /** Demand as a share of the budget. Above 1, the budget is too small. */
  readonly demand: number;
  readonly clickCost: number;
  readonly clicksPerImpression: number;
  readonly conversionsPerClick: number;
  readonly status: Status;
  readonly channel: Channel;
  /** One ad group per term. In a Performance Max campaign, one asset group per term. */
  readonly terms: readonly string[];
}

const CHANNELS: ReadonlyMap<string | undefined, Channel> = new Map([
  ['performance max', 'PERFORMANCE_MAX'],
  ['display', 'DISPLAY'],
]);

const STATES: ReadonlyMap<string | undefined, Status> = new Map([
  ['paused', 'PAUSED'],
  ['removed', 'REMOVED'],
]);

/** Each line is a campaign. The last column is optional: a channel or a status. */
function campaignTable(text: string): CampaignPlan[] {
  return rowsOf(text).map((row) => {
    const [name = '', budget = '', demand, clickCost, clicksPerImpression, conversionsPerClick, terms = '', mark] =
      row.split(' | ');
    const share = /^share (.+)$/.exec(budget)?.[1];
    return {
      name,
      budget: share === undefined ? Number(budget) : { share: Number(share) },
      demand: Number(demand),
      clickCost: Number(clickCost),
      clicksPerImpression: Number(clicksPerImpression),
      conversionsPerClick: Number(conversionsPerClick),
      status: STATES.get(mark) ?? 'ENABLED',
      channel: CHANNELS.get(mark) ?? 'SEARCH',
      terms: terms.split(', '),
    };
  });
}

function formList(text: string): string[] {
  return rowsOf(text).flatMap((row) => row.split(', '));
}

function rowsOf(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((row) => row.trim());
}

const OUTDOOR_DE: AccountPlan = {
  customerId: '4081725530',
  name: 'Alpenkontor Outdoor GmbH',
  currency: 'EUR',
  timeZone: 'Europe/Berlin',
  sharedBudget: { name: 'Zubehör gemeinsam', amount: 90 },
  orderValue: 85,
  forms: formList(`
    {}, {} kaufen, {} online, {} günstig, {} test, {} angebot, {} damen, {} herren, {} kinder, {} leicht
    {} shop, beste {}, {} vergleich, {} wasserdicht, {} reduziert, {} größe 42, {} in der nähe
  `),
  everywhere: 'outdoor sale',
  // The first two campaigns have expensive clicks, for rules on the cost per click.
  campaigns: campaignTable(`
    Generisch - Wanderschuhe | 60 | 0.72 | 3.3 | 0.045 | 0.012 | wanderschuhe, trekkingschuhe, bergschuhe
    Generisch - Zelte | 85 | 0.68 | 3.6 | 0.04 | 0 | zelt, kuppelzelt, trekkingzelt, familienzelt
    Marke - Alpenkontor | 40 | 0.45 | 0.35 | 0.11 | 0.07 | alpenkontor, alpen kontor, alpenkontor outdoor
    Rucksäcke "Öko", größer & günstiger 🎒 | 55 | 0.5 | 0.8 | 0.05 | 0.03 | rucksack, wanderrucksack, tagesrucksack, kraxe
    Schlafsäcke | 45 | 0.42 | 0.95 | 0.05 | 0.032 | schlafsack, daunenschlafsack, hüttenschlafsack, mumienschlafsack
    Regenjacken | 70 | 0.48 | 1.1 | 0.045 | 0.03 | regenjacke, hardshelljacke, regenhose, poncho
    Zubehör - Trinkflaschen | share 0.4 | 0.5 | 0.5 | 0.06 | 0.028 | trinkflasche, thermosflasche, trinkblase, faltflasche
    Zubehör - Stirnlampen | share 0.35 | 0.45 | 0.6 | 0.055 | 0.025 | stirnlampe, campinglampe, taschenlampe, kopflampe
    Zubehör - Kocher | share 0.25 | 0.4 | 0.65 | 0.05 | 0.03 | campingkocher, gaskocher, spirituskocher, campinggeschirr
    Kletterausrüstung | 50 | 0.44 | 1.05 | 0.045 | 0.02 | klettergurt, kletterschuhe, karabiner, kletterseil
    Winter - Schneeschuhe | 35 | 0.4 | 0.9 | 0.05 | 0.02 | schneeschuhe, gamaschen, grödel, eispickel | paused
    Isomatten | 30 | 0.4 | 0.7 | 0.055 | 0.035 | isomatte, luftmatratze, thermomatte, campingliege
  `),
};

const RUNNING_US: AccountPlan = {
  customerId: '6193047821',
  name: 'Pacific Trail Supply, Inc.',
  currency: 'USD',
  timeZone: 'America/Los_Angeles',
  sharedBudget: { name: 'Accessories shared', amount: 110 },
  orderValue: 80,
  forms: formList(`
    {}, buy {}, {} online, cheap {}, {} sale, best {}, {} reviews, mens {}, womens {}, kids {}
    {} near me, {} clearance, lightweight {}, {} size 10, waterproof {}, {} store, {} free shipping
  `),
  everywhere: 'trail gear',
  // The first campaign has cheap clicks and too small a budget, for rules that raise budgets.
  campaigns: campaignTable(`
    Trail Running Shoes | 90 | 2.2 | 0.72 | 0.05 | 0.075 | trail running shoes, trail shoes, running shoes, off road shoes
    Brand - Pacific Trail | 60 | 0.35 | 0.4 | 0.12 | 0.08 | pacific trail, pacific trail supply, pacific trail shoes, pacifictrail
    Hiking Boots | 120 | 0.42 | 1.35 | 0.04 | 0.03 | hiking boots, hiking shoes, leather boots, approach shoes
    Hydration Packs | 75 | 0.4 | 0.95 | 0.045 | 0.03 | hydration pack, running vest, water bladder, soft flask
    GPS Watches | 140 | 0.38 | 1.8 | 0.035 | 0.015 | gps watch, running watch, fitness tracker, heart rate monitor
    Rain Shells | 80 | 0.36 | 1.1 | 0.045 | 0.03 | rain jacket, rain shell, windbreaker, rain pants
    Accessories - Socks | share 0.4 | 0.4 | 0.55 | 0.055 | 0.03 | running socks, wool socks, compression socks, toe socks
    Accessories - Headlamps | share 0.3 | 0.4 | 0.7 | 0.05 | 0.03 | headlamp, running light, camp lantern, flashlight
    Accessories - Poles | share 0.3 | 0.4 | 0.8 | 0.05 | 0.03 | trekking poles, running poles, folding poles, hiking poles
    Nutrition | 65 | 0.34 | 0.6 | 0.05 | 0.04 | energy gels, electrolyte tablets, energy bars, recovery drink
    Gift Cards | 50 | 0.3 | 0.5 | 0.06 | 0.05 | outdoor gift card, runner gifts, hiker gifts, camping gifts
    Performance Max - All Products | 85 | 0.45 | 0.9 | 0.02 | 0.035 | Shoes, Packs, Apparel | performance max
  `),
};

const BICYCLES_UK: AccountPlan = {
  customerId: '7350926148',
  name: 'Thames Bicycle Works Ltd',
  currency: 'GBP',
  timeZone: 'Europe/London',
  sharedBudget: { name: 'Parts shared', amount: 80 },
  orderValue: 120,
  forms: formList(`
    {}, buy {}, {} uk, cheap {}, {} sale, best {}, {} reviews, mens {}, womens {}, kids {}, {} near me
    {} london, used {}, {} price, {} deals, {} finance, {} cycle to work
  `),
  everywhere: 'bike shop',
  campaigns: campaignTable(`
    Brand - Thames Bicycle | 45 | 0.4 | 0.3 | 0.12 | 0.07 | thames bicycle, thames bicycle works, thames bikes, thames cycles
    Electric Bikes | 130 | 0.5 | 1.6 | 0.035 | 0.012 | electric bike, e bike, folding electric bike, electric mountain bike
    Road Bikes | 95 | 0.46 | 1.1 | 0.04 | 0.012 | road bike, racing bike, carbon road bike, endurance bike
    Mountain Bikes | 90 | 0.44 | 1.05 | 0.04 | 0.015 | mountain bike, hardtail, full suspension bike, trail bike
    Children | 40 | 0.42 | 0.55 | 0.05 | 0.02 | balance bike, childrens bike, first bike, bike trailer
    Folding Bikes | 55 | 0.4 | 0.85 | 0.045 | 0.018 | folding bike, commuter bike, compact bike, small wheel bike
    Parts - Tyres | share 0.4 | 0.45 | 0.5 | 0.055 | 0.03 | bike tyres, tubeless tyres, inner tubes, winter tyres
    Parts - Lights | share 0.35 | 0.4 | 0.45 | 0.055 | 0.03 | bike lights, rear light, front light, helmet light
    Parts - Locks | share 0.25 | 0.4 | 0.5 | 0.055 | 0.03 | bike lock, d lock, chain lock, folding lock
    Servicing | 50 | 0.48 | 0.95 | 0.05 | 0.05 | bike service, bike repair, wheel truing, brake service
    Clothing & Helmets | 60 | 0.42 | 0.75 | 0.05 | 0.025 | cycling helmet, cycling jersey, bib shorts, cycling gloves
    Remarketing - Visitors | 30 | 0.6 | 0.25 | 0.004 | 0.006 | All visitors, Baskets, Customers | display
  `),
};

const STATIONERY_JP: AccountPlan = {
  customerId: '9264813507',
  name: '東京文具店',
  currency: 'JPY',
  timeZone: 'Asia/Tokyo',
  sharedBudget: { name: '共有予算 紙製品', amount: 12000 },
  orderValue: 6500,
  forms: formList(`
    {}, {} 通販, {} おすすめ, {} 人気, {} 安い, {} 激安, {} セール, {} 口コミ, {} 比較, {} ギフト, {} 名入れ, {} 送料無料, {} 東京
    {} 限定, {} かわいい, 高級 {}, {} ランキング
  `),
  everywhere: '文房具',
  campaigns: campaignTable(`
    ブランド - 東京文具店 | 6000 | 0.4 | 35 | 0.12 | 0.08 | 東京文具店, 東京文具, 東京文具店 本店, 東京文具店 オンライン
    万年筆 | 14000 | 0.5 | 140 | 0.04 | 0.03 | 万年筆, 万年筆 インク, ガラスペン, 金ペン
    手帳 | 11000 | 0.46 | 95 | 0.045 | 0.04 | 手帳, システム手帳, 手帳カバー, スケジュール帳
    ボールペン | 9000 | 0.44 | 70 | 0.05 | 0.02 | ボールペン, 多機能ペン, 消せるペン, ゲルインクペン
    シャープペンシル | 7000 | 0.42 | 60 | 0.05 | 0.02 | シャープペンシル, 製図用シャープ, 替芯, 鉛筆
    紙製品 - ノート | share 0.4 | 0.45 | 55 | 0.055 | 0.03 | ノート, 方眼ノート, リングノート, トラベルノート
    紙製品 - 便箋 | share 0.3 | 0.4 | 60 | 0.05 | 0.02 | 便箋, 封筒, レターセット, はがき
    紙製品 - 折り紙 | share 0.3 | 0.4 | 45 | 0.055 | 0.02 | 折り紙, 千代紙, 和紙, 画用紙
    デスク用品 | 8000 | 0.4 | 80 | 0.045 | 0.025 | ペン立て, デスクマット, ブックスタンド, 卓上カレンダー
    画材 | 10000 | 0.42 | 90 | 0.045 | 0.03 | 水彩絵の具, 色鉛筆, スケッチブック, 筆ペン
    法人向け オフィス用品 | 13000 | 0.48 | 160 | 0.035 | 0.05 | オフィス用品, コピー用紙, 名刺入れ, ファイル
    クリスマスカード | share 0 | 0.4 | 50 | 0.05 | 0.03 | クリスマスカード, クリスマス 封筒 | removed
  `),
};

export const ACCOUNT_PLANS: readonly AccountPlan[] = [OUTDOOR_DE, RUNNING_US, BICYCLES_UK, STATIONERY_JP];
