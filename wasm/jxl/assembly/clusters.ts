// Contexts whose tokens are alike share a code. Seeds are the contexts that are farthest from all before;
// every other context joins the nearest cluster, and clusters that are not worth their code are joined.

import { entropyOf } from "./histograms";
import {
  CLUSTER_OF,
  CODE,
  CODES,
  CONTEXTS,
  COSTS,
  COUNTS,
  DISTANCES,
  HISTOGRAM,
  K_COUNTS,
  K_LOGS,
  MOST_CLUSTERS,
  SYMBOLS,
  TOTALS,
  USED,
} from "./map";

/** Bits that another cluster costs: its histogram, and a richer map of contexts. */
const CLUSTER_COST: f32 = 90;

let symbols: usize = 0; // of all contexts

function totalIn(code: usize): u32 {
  let total: u32 = 0;
  for (let s: usize = 0; s < symbols; s++) total += load<u32>(code + (s << 2), K_COUNTS);
  return total;
}

/** Remembers n log2 n of the counts, and of their sum behind them. */
function remember(code: usize): void {
  for (let s: usize = 0; s < symbols; s++) {
    const n = load<u32>(code + (s << 2), K_COUNTS);
    store<f32>(code + (s << 2), entropyOf(n), K_LOGS);
  }
}

/**
 * Bits that tokens take more with the code of a cluster than with one of their own, the cluster's included.
 */
// @ts-ignore: decorator
@inline
function distance(counts: usize, total: u32, cost: f32, code: usize, codeTotal: u32): f32 {
  let change = entropyOf(total + codeTotal) - entropyOf(codeTotal);
  for (let s: usize = 0; s < symbols; s++) {
    const n = load<u32>(counts + (s << 2));
    if (n != 0) change -= entropyOf(n + load<u32>(code + (s << 2), K_COUNTS)) - load<f32>(code + (s << 2), K_LOGS);
  }
  return change - cost;
}

function copyCounts(counts: usize, code: usize): void {
  memory.copy(code + K_COUNTS, counts, HISTOGRAM);
}

function addCounts(counts: usize, code: usize): void {
  for (let s: usize = 0; s < symbols; s++)
    store<u32>(code + (s << 2), load<u32>(code + (s << 2), K_COUNTS) + load<u32>(counts + (s << 2)), K_COUNTS);
}

/** Groups the contexts at COUNTS into codes at CODES. Returns their number; CLUSTER_OF has that of each. */
export function makeClusters(): u32 {
  const used = measureContexts();
  const seeds = chooseSeeds(used);
  for (let k: u32 = 0; k < seeds; k++) memory.fill(CODES + (k as usize) * CODE + K_COUNTS, 0, HISTOGRAM);
  for (let i: usize = 0; i < used; i++) {
    const context: usize = load<u16>(USED + (i << 1));
    addCounts(COUNTS + context * HISTOGRAM, CODES + (load<u8>(CLUSTER_OF + context) as usize) * CODE);
  }
  const clusters = joinClusters(seeds, used);
  nameUnused();
  return clusters;
}

/** Lists the contexts that have tokens with their totals and costs; returns their number. */
function measureContexts(): usize {
  let used: usize = 0;
  symbols = 0;
  for (let context: usize = 0; context < CONTEXTS; context++) {
    const counts = COUNTS + context * HISTOGRAM;
    let total: u32 = 0;
    let cost: f32 = 0;
    for (let s: usize = 0; s < SYMBOLS; s++) {
      const n = load<u32>(counts + (s << 2));
      if (n == 0) continue;
      total += n;
      cost -= entropyOf(n);
      if (s >= symbols) symbols = s + 1;
    }
    store<u32>(TOTALS + (context << 2), total);
    store<f32>(COSTS + (context << 2), cost + entropyOf(total));
    store<f32>(DISTANCES + (context << 2), f32.MAX_VALUE);
    if (total != 0) store<u16>(USED + (used++ << 1), context as u16);
  }
  return used;
}

/** Makes clusters of the farthest contexts until none is far; CLUSTER_OF has the nearest for each context. */
function chooseSeeds(used: usize): u32 {
  let seed: usize = 0;
  let most: u32 = 0;
  for (let i: usize = 0; i < used; i++) {
    const context: usize = load<u16>(USED + (i << 1));
    const total = load<u32>(TOTALS + (context << 2));
    if (total > most) {
      most = total;
      seed = context;
    }
  }
  let clusters: u32 = 0;
  while (true) {
    const code = CODES + (clusters as usize) * CODE;
    copyCounts(COUNTS + seed * HISTOGRAM, code);
    remember(code);
    const codeTotal = load<u32>(TOTALS + (seed << 2));
    let farthest: f32 = 0;
    const before = seed;
    for (let i: usize = 0; i < used; i++) {
      const context: usize = load<u16>(USED + (i << 1));
      let nearest = load<f32>(DISTANCES + (context << 2));
      const total = load<u32>(TOTALS + (context << 2));
      if (nearest > 0) {
        const d =
          context == before
            ? (0 as f32)
            : distance(COUNTS + context * HISTOGRAM, total, load<f32>(COSTS + (context << 2)), code, codeTotal);
        if (d < nearest) {
          nearest = d;
          store<f32>(DISTANCES + (context << 2), d);
          store<u8>(CLUSTER_OF + context, clusters as u8);
        }
      }
      if (nearest > farthest) {
        farthest = nearest;
        seed = context;
      }
    }
    clusters++;
    if (farthest < CLUSTER_COST / 2 || clusters == (MOST_CLUSTERS as u32)) return clusters;
  }
}

/** Joins pairs of clusters while that saves bits; numbers of clusters stay without gaps. */
function joinClusters(count: u32, used: usize): u32 {
  let clusters = count;
  while (clusters > 1) {
    let least: f32 = CLUSTER_COST;
    let one: u32 = 0;
    let other: u32 = 0;
    for (let a: u32 = 1; a < clusters; a++) {
      const from = CODES + (a as usize) * CODE;
      const total = totalIn(from);
      remember(from);
      let cost = entropyOf(total);
      for (let s: usize = 0; s < symbols; s++) cost -= load<f32>(from + (s << 2), K_LOGS);
      for (let b: u32 = 0; b < a; b++) {
        const code = CODES + (b as usize) * CODE;
        if (b == 0 && a == 1) remember(code);
        const d = distance(from + K_COUNTS, total, cost, code, totalIn(code));
        if (d < least) {
          least = d;
          one = a;
          other = b;
        }
      }
    }
    if (one == 0) break;
    clusters--;
    const from = CODES + (one as usize) * CODE;
    addCounts(from + K_COUNTS, CODES + (other as usize) * CODE);
    if (one != clusters) memory.copy(from + K_COUNTS, CODES + (clusters as usize) * CODE + K_COUNTS, HISTOGRAM);
    for (let i: usize = 0; i < used; i++) {
      const context: usize = load<u16>(USED + (i << 1));
      const own: u32 = load<u8>(CLUSTER_OF + context);
      if (own == one) store<u8>(CLUSTER_OF + context, other as u8);
      else if (own == clusters) store<u8>(CLUSTER_OF + context, one as u8);
    }
  }
  return clusters;
}

/** Gives contexts without tokens the cluster of the context before, which costs the least. */
function nameUnused(): void {
  let last: u8 = 0;
  for (let context: usize = 0; context < CONTEXTS; context++) {
    if (load<u32>(TOTALS + (context << 2)) == 0) store<u8>(CLUSTER_OF + context, last);
    else last = load<u8>(CLUSTER_OF + context);
  }
}
