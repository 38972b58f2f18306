// Languages with a code of two letters: ISO 639-1, both codes of ISO 639-2 (terminological, bibliographic),
// and the English names of ISO 639 and of PAGE (2019-07-15, LanguageSimpleType).

/** Rows of code, one or two codes of three letters, and names, separated by commas. */
const rows = `
aa aar Afar, ab abk Abkhazian/Abkhaz, ae ave Avestan, af afr Afrikaans, ak aka Akan, am amh Amharic,
an arg Aragonese, ar ara Arabic, as asm Assamese, av ava Avaric, ay aym Aymara, az aze Azerbaijani,
ba bak Bashkir, be bel Belarusian, bg bul Bulgarian, bi bis Bislama, bm bam Bambara, bn ben Bengali,
bo bod tib Tibetan, br bre Breton, bs bos Bosnian, ca cat Catalan/Valencian, ce che Chechen,
ch cha Chamorro, co cos Corsican, cr cre Cree, cs ces cze Czech,
cu chu Church Slavic/Old Slavonic/Church Slavonic/Old Bulgarian/Old Church Slavonic, cv chv Chuvash,
cy cym wel Welsh, da dan Danish, de deu ger German, dv div Divehi/Dhivehi/Maldivian, dz dzo Dzongkha,
ee ewe Ewe, el ell gre Greek, en eng English, eo epo Esperanto, es spa Spanish/Castilian,
et est Estonian, eu eus baq Basque, fa fas per Persian, ff ful Fulah/Fula, fi fin Finnish,
fj fij Fijian, fo fao Faroese, fr fra fre French, fy fry Western Frisian, ga gle Irish,
gd gla Gaelic/Scottish Gaelic, gl glg Galician, gn grn Guarani/Guaraní, gu guj Gujarati, gv glv Manx,
ha hau Hausa, he heb Hebrew, hi hin Hindi, ho hmo Hiri Motu, hr hrv Croatian,
ht hat Haitian/Haitian Creole, hu hun Hungarian, hy hye arm Armenian, hz her Herero, ia ina Interlingua,
id ind Indonesian, ie ile Interlingue/Occidental, ig ibo Igbo, ii iii Sichuan Yi/Nuosu, ik ipk Inupiaq,
io ido Ido, is isl ice Icelandic, it ita Italian, iu iku Inuktitut, ja jpn Japanese, jv jav Javanese,
ka kat geo Georgian, kg kon Kongo, ki kik Kikuyu/Gikuyu, kj kua Kuanyama/Kwanyama, kk kaz Kazakh,
kl kal Kalaallisut/Greenlandic, km khm Central Khmer/Cambodian/Khmer, kn kan Kannada, ko kor Korean,
kr kau Kanuri, ks kas Kashmiri, ku kur Kurdish, kv kom Komi, kw cor Cornish, ky kir Kirghiz/Kyrgyz,
la lat Latin, lb ltz Luxembourgish/Letzeburgesch, lg lug Ganda, li lim Limburgan/Limburger/Limburgish,
ln lin Lingala, lo lao Lao, lt lit Lithuanian, lu lub Luba-Katanga, lv lav Latvian, mg mlg Malagasy,
mh mah Marshallese, mi mri mao Maori/Māori, mk mkd mac Macedonian, ml mal Malayalam, mn mon Mongolian,
mr mar Marathi, ms msa may Malay, mt mlt Maltese, my mya bur Burmese, na nau Nauru,
nb nob Norwegian Bokmål, nd nde North Ndebele, ne nep Nepali, ng ndo Ndonga, nl nld dut Dutch/Flemish,
nn nno Norwegian Nynorsk, no nor Norwegian, nr nbl South Ndebele, nv nav Navajo/Navaho,
ny nya Chichewa/Chewa/Nyanja, oc oci Provençal/Occitan, oj oji Ojibwa/Ojibwe, om orm Oromo,
or ori Oriya/Odia, os oss Ossetian/Ossetic, pa pan Panjabi/Punjabi, pi pli Pali/Pāli, pl pol Polish,
ps pus Pushto/Pashto, pt por Portuguese, qu que Quechua, rm roh Romansh, rn run Rundi/Kirundi,
ro ron rum Romanian/Moldavian/Moldovan, ru rus Russian, rw kin Kinyarwanda, sa san Sanskrit,
sc srd Sardinian, sd snd Sindhi, se sme Northern Sami, sg sag Sango, si sin Sinhala/Sinhalese,
sk slk slo Slovak, sl slv Slovenian/Slovene, sm smo Samoan, sn sna Shona, so som Somali,
sq sqi alb Albanian, sr srp Serbian, ss ssw Swati, st sot Southern Sotho, su sun Sundanese,
sv swe Swedish, sw swa Swahili, ta tam Tamil, te tel Telugu, tg tgk Tajik, th tha Thai, ti tir Tigrinya,
tk tuk Turkmen, tl tgl Tagalog, tn tsn Tswana, to ton Tonga, tr tur Turkish, ts tso Tsonga,
tt tat Tatar, tw twi Twi, ty tah Tahitian, ug uig Uighur/Uyghur, uk ukr Ukrainian, ur urd Urdu,
uz uzb Uzbek, ve ven Venda, vi vie Vietnamese, vo vol Volapük, wa wln Walloon, wo wol Wolof,
xh xho Xhosa, yi yid Yiddish, yo yor Yoruba, za zha Zhuang/Chuang, zh zho chi Chinese, zu zul Zulu
`;

/** Codes of three letters, and names in lower case, to codes of two letters. */
export const twoLetterCodes: ReadonlyMap<string, string> = new Map(
  rows
    .trim()
    .split(/,\s+/)
    .flatMap((row) => {
      const [, code = "", longCodes = "", names = ""] =
        /^(\w+)((?:\s+[a-z]{3}\b){1,2})\s+(.+)$/s.exec(row) ?? [];
      const keys = [...longCodes.trim().split(/\s+/), ...names.replace(/\s+/g, " ").toLowerCase().split("/")];
      return keys.map((key) => [key, code] as const);
    }),
);
