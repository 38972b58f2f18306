// Pages of made-up words that follow Zipf's law over 50,000 of them; 12 in 100 are damaged as OCR does it, so
// that these occur once.

/** Numbers from 0 up to 1 that look random and are the same in every run (Marsaglia's xorshift). */
export function seeded(seed) {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const syllables =
  "a ba ca de e fi ga he i jo ka le ma ne o pa qui re sa te u va wi xe yo za st nd er in on".split(" ");

/** Words by rank, short ones first, as in languages. */
function makeVocabulary() {
  const random = seeded(7);
  const words = new Set();
  while (words.size < 50_000) {
    const count = 1 + Math.floor(random() * 2 + Math.log10(words.size + 1) * 0.7);
    let word = "";
    for (let i = 0; i < count; i++) word += syllables[Math.floor(random() * syllables.length)];
    words.add(word);
  }
  return [...words];
}

export const vocabulary = makeVocabulary();
const ends = [];
let sum = 0;
for (let rank = 1; rank <= vocabulary.length; rank++) ends.push((sum += 1 / rank ** 1.05));

function zipf(random) {
  const wanted = random() * sum;
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return vocabulary[low];
}

const letters = "abcdefghijklmnopqrstuvwxyzf1il";

/** Replaces letters of a word and adds others. */
function damage(word, random) {
  const letter = () => letters[Math.floor(random() * letters.length)];
  const at = Math.floor(random() * word.length);
  return `${word.slice(0, at)}${letter()}${word.slice(at + 1)}${letter()}${letter()}`;
}

/** Returns the words of a page by its number, which are the same in every run. */
export function wordsOfPage(page, count) {
  const random = seeded(Math.imul(page + 1, 2654435761));
  for (let i = 0; i < 5; i++) random();
  return Array.from({ length: count }, () => {
    const word = zipf(random);
    const kind = random();
    if (kind < 0.12) return damage(word, random);
    return kind < 0.22 ? word[0].toUpperCase() + word.slice(1) : kind < 0.3 ? `${word},` : word;
  });
}
