// Generates adversarial texts, and finds functions that take superlinear time for them. `npm run test:long` tries a few texts
// for each function of the registry; the audit tries as many as it has time for.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { REGISTRY, type TextWork } from './growth-registry.ts'
import { randomOf } from './random.ts'

export interface GrowthOptions {
  /** Seed of the generated texts. */
  seed: number
  /** Number of texts of mixed parts for each function, in addition to those of one repeated part. */
  rounds?: number
  /** Characters of the first text, which is then doubled. */
  size?: number
  /** Functions to test; by default those of the registry. */
  works?: Readonly<Record<string, GrowthWork>>
  /** Milliseconds for a text of the first size below which growth is not measured. */
  unseen?: number
}

/** A text function, and the parts of texts that it searches for. */
export interface GrowthWork {
  work: TextWork
  /** Parts in addition to those that are tried for all functions. */
  parts?: readonly string[]
}

export interface GrowthResult {
  /** Number of tried texts. */
  tried: number
  /** Superlinear results: the function, the text, the milliseconds of two sizes. */
  failures: string[]
}

/** Maximum ratio of the times for a text and a text of half the size. */
const MAX_DOUBLING_RATIO = 2.5
/** How often a text is doubled. */
const DOUBLINGS = 3
/** Maximum number of measurements of two sizes before the function counts as superlinear. */
const TRIES = 8
const SIZE = 4096
/** Sizes of the first texts, in characters: an exponential function would never finish for longer texts. */
const SHORT_SIZES = [16, 24, 32, 48, 64, 128]
/** Maximum milliseconds for a text of these sizes. */
const MAX_SHORT_MS = 30

/** Parts of texts by their syntax: openings, endings and other parts. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  space: [' ', '\n', '\n\n', '\t', '\r\n', '\u00a0', 'a', 'a ', ' \n', '\u200b', '\u2028', '\ufeff'],
  text: [
    'é',
    '1',
    '1x',
    '1,',
    '.',
    '..',
    '...',
    '-',
    '--',
    '- ',
    '_',
    ',',
    ';',
    ':',
    '/',
    '//',
    '\\',
    '\\"',
    "'",
    '"',
    "' ",
    '" ',
    "'a",
    '"a',
    '``',
    "''",
    '(tm)',
    'x',
    '2x2',
    '(',
    ')',
    '{',
    '}',
    '!',
    '?',
    '#',
    '=',
    '+',
    '*',
    '|',
    '~',
    '`',
    '$',
    '^',
  ],
  code: [
    '&',
    '&amp',
    '&amp;',
    '&#',
    '&#8217;',
    '&nbsp;',
    '%',
    '%e2',
    '%e2%82',
    '%41',
    '%%4',
    '\\u003c',
    '\u0000',
    '\u0001',
    '\ud800',
    '👍',
    '👩‍👩‍👧',
    '🏴\u{e0067}',
    '\u0301',
    '\u0327',
    '\u0301\u0327',
    'a\u0300',
    'ß',
    'Σ',
    'İ',
    'ＡＡ',
    '한',
    '\u1100\u1161',
  ],
  url: [
    '@',
    'a@',
    'a@a.',
    '://',
    'http://',
    'http://a.b/ ',
    'https://a.b/(',
    'www.',
    ':)',
    ' :) ',
    ':-',
    'a=1&',
    'a[b]=1&',
    'a[',
    '=?',
    'Basic ',
    'password=',
    '"password":"',
    '; filename=',
    'filename="',
    'http:\\/\\/a.b\\/',
  ],
  shortcode: [
    '[',
    ']',
    '[[',
    ']]',
    '[caption',
    '[caption ',
    '[caption]',
    '[/caption]',
    '[gallery',
    '[gallery]',
    '[gallery ids="1,2"]',
    '[a ',
    '[a "',
    "[a ']",
    '[a]',
    '[/a]',
    '[[a]',
    '[a /]',
    '[a x="',
    '"]',
    "']",
    ' ',
  ],
  element: [
    '<',
    '>',
    '</',
    '<p',
    '<p>',
    '</p>',
    '<p ',
    '<a ',
    '<a href="',
    '<a b="c" ',
    '<a>',
    '</a>',
    '<b>',
    '</b>',
    '<br>',
    '<br />',
    '<div>',
    '</div>',
    '<pre>',
    '</pre>',
    '<code>',
    '</code>',
    '<blockquote>',
    '<li>',
    '</li>',
    '<ul>',
    '<h2>',
    '<table>',
    '<td>',
    '</td>',
    '<figcaption>',
    '<img ',
    '<img src="a">',
    '<script>',
    '</script>',
    '<style>',
    '<textarea>',
    '<object>',
    '<div class="',
    'style="',
    'color:',
    'url(',
    'rgb(',
    '/*',
    '*/',
    ';',
    '"',
    "'",
    '=',
    'a',
    '\n',
    '\n\n',
    ' ',
  ],
  comment: [
    '<!',
    '<!-',
    '<!--',
    '-->',
    '--!>',
    '<!-- a -->',
    '<!-- wp:x -->',
    '<!-- /wp:x -->',
    '<!-- wp:x {"a":"',
    '<!-- wp:x /-->',
    '<!-- wp:group -->',
    '<!-- /wp:group -->',
    '<!-- wp:',
    '{"a":',
    '}',
    '[',
    ']',
    '<!--more-->',
    '<!--nextpage-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '<p>',
    '\n',
    ' ',
    'a',
    '-',
  ],
  markdown: [
    '# ',
    '## a\n',
    '- ',
    '* ',
    '1. ',
    '> ',
    '    ',
    '\t',
    '![',
    '[a](',
    '[a]',
    '[a]: b\n',
    '](',
    ')',
    '**',
    '__',
    '*a ',
    '***a',
    '~~',
    '`',
    '```',
    '```\n',
    '---\n',
    'a|',
    '-|',
    '|\n',
    '<a ',
    '<!--',
    '\\',
    '\n',
    '\n\n',
    ' ',
    'a',
  ],
  css: [
    '{',
    '}',
    ';',
    ':',
    '(',
    ')',
    'url(',
    'url("',
    'var(',
    'var:preset|color|',
    '@media ',
    '@import ',
    '/*',
    '*/',
    '!important',
    'a{b:c}',
    '#',
    '.',
    ',',
    ', ',
    '\\',
    '"',
    "'",
    'expression(',
    'javascript:',
    ' ',
    '\n',
    'a',
  ],
  xml: [
    '<rss>',
    '<item>',
    '</item>',
    '<entry>',
    '</entry>',
    '<link ',
    '<link href="',
    '<link rel="',
    '<title>',
    '</title>',
    '<a:b>',
    '<![CDATA[',
    ']]>',
    '<?xml ',
    '<!DOCTYPE ',
    '<!ENTITY ',
    '&a;',
    '<item',
    '<entry',
    'href="',
    '"',
    "'",
    '/>',
    '>',
    ' ',
    'a',
  ],
  header: [
    'W/"',
    '"a", ',
    'bytes=',
    '0-1,',
    'q=',
    ';q=0.5, ',
    ', ',
    ',',
    ';',
    '=',
    '"',
    '\\"',
    ' ',
    'a',
    "utf-8''",
    'Basic ',
    'T00:',
  ],
  value: ['i:1;', 's:1:"', 'a:1:{', 'O:', 'N;', '"', ';', '}', ':', '1'],
}

const PARTS: readonly string[] = [...new Set(Object.values(FAMILIES).flat())]

/** Generates texts of about a given size. */
interface Shape {
  name: string
  of: (size: number) => string
}

/** The same part repeated: `A^n`. */
const repeated = (part: string): Shape => ({
  name: `${quote(part)}^n`,
  of: (size) => part.repeat(Math.ceil(size / part.length)),
})

/** Distinct parts, so that caches and look-ups never hit: `A1 A2 A3 …`. */
const numbered = (part: string): Shape => ({
  name: `${quote(part)}1…n`,
  of: (size) => Array.from({ length: Math.ceil(size / (part.length + 4)) }, (_, index) => `${part}${index} `).join(''),
})

/** Combinations of two or three parts. */
const MIXTURES: readonly ((a: string, b: string, c: string) => Shape)[] = [
  (a, b) => ({ name: `(${quote(a)} ${quote(b)})^n`, of: (size) => fill(a + b, size) }),
  (a, b) => ({ name: `${quote(a)}^n ${quote(b)}^n`, of: (size) => fill(a, size / 2) + fill(b, size / 2) }),
  (a, b, c) => ({ name: `${quote(b)} ${quote(a)}^n ${quote(c)}`, of: (size) => b + fill(a, size) + c }),
  (a, b, c) => ({ name: `(${quote(a)} ${quote(b)} ${quote(c)})^n`, of: (size) => fill(a + b + c, size) }),
  (a, b, c) => ({
    name: `(${quote(a)} ${quote(b)})^n ${quote(c)}^n`,
    of: (size) => fill(a + b, size / 2) + fill(c, size / 2),
  }),
  (a, b, c) => ({
    name: `${quote(c)} ${quote(a)}^n ${quote(b)}^n ${quote(a)}^n`,
    of: (size) => c + fill(a, size / 3) + fill(b, size / 3) + fill(a, size / 3),
  }),
  (a, b, c) => ({
    name: `(${quote(a)} ${quote(c)}^√n ${quote(b)})^√n`,
    of: (size) => fill(a + c.repeat(Math.ceil(Math.sqrt(size) / c.length)) + b, size),
  }),
]

function fill(part: string, size: number): string {
  return part.repeat(Math.max(Math.ceil(size / part.length), 1))
}

function quote(part: string): string {
  return JSON.stringify(part).slice(1, -1).replaceAll(' ', '␠')
}

/**
 * Returns all texts of one repeated part, and `rounds` random texts of several parts, mostly of one family.
 * @param own parts of a function, used as a separate family for half of the rounds
 */
export function shapesOf(seed: number, rounds: number, own: readonly string[] = []): Shape[] {
  const random = randomOf(seed)
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const mixed = Array.from({ length: rounds }, () => {
    const family = own.length > 0 && random() < 0.5 ? own : FAMILIES[any(Object.keys(FAMILIES))]!
    const part = () => any(random() < 0.8 ? family : PARTS)
    return any(MIXTURES)(part(), part(), part())
  })
  const parts = [...new Set([...PARTS, ...own])]
  return [...parts.map(repeated), ...[...own, ' ', 'a'].map(numbered), ...mixed]
}

/** Maximum number of a function's parts that are tried, shortest first. */
const MAX_OWN_PARTS = 60

/** Returns the texts that a module searches for: its short strings, and literal characters of its regular expressions. */
export function partsIn(source: string): string[] {
  const code = source.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$|^import [^]*?'\n/gm, '')
  const strings = [...code.matchAll(/'((?:[^'\\\n]|\\.){1,12})'/g)].map(([, text = '']) => text.replaceAll('\\n', '\n'))
  const expressions = [...code.matchAll(/\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[a-z]*/g)].flatMap(
    ([, text = '']) =>
      text
        .replace(/\\s/g, ' ')
        .replace(/\\d/g, '1')
        .replace(/\\w|\[(?:[^\]\\]|\\.)*\]|\\p\{\w+\}/g, 'a')
        .replace(/\\[bB]|\(\?(?:<?[=!]|:|<\w+>)|(?<!\\)[()^$*+?.|]|\{\d+,?\d*\}/g, '\0')
        .replace(/\\(.)/g, '$1')
        .split('\0'),
  )
  const parts = new Set([...strings, ...expressions].filter((part) => part !== ''))
  return [...parts].toSorted((one, other) => one.length - other.length).slice(0, MAX_OWN_PARTS)
}

/** Returns the functions of the registry, each with the parts that its module searches for. */
export function registeredWorks(): Record<string, GrowthWork> {
  return Object.fromEntries(
    Object.entries(REGISTRY).flatMap(([file, functions]) => {
      const parts = partsIn(readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8'))
      return Object.entries(functions).map(([name, work]) => [`${file} ${name}`, { work, parts }])
    }),
  )
}

/**
 * Calls each function with each text of `shapesOf`, and reports functions that take more than `MAX_DOUBLING_RATIO` times as
 * long for twice the text. Uses the minimum processor time of this thread in several measurements.
 */
export async function growthFailures({
  seed,
  rounds = 20,
  size = SIZE,
  works = registeredWorks(),
  unseen = 4,
}: GrowthOptions): Promise<GrowthResult> {
  const result: GrowthResult = { tried: 0, failures: [] }
  for (const [index, [name, { work, parts }]] of Object.entries(works).entries()) {
    if (!(await returnsForAny(work))) result.failures.push(`${name}: throws, whatever the text`)
    for (const shape of shapesOf(seed + index, rounds, parts)) {
      result.tried += 1
      const failure = await growth(work, shape, size, unseen)
      if (failure !== null) result.failures.push(`${name}, ${shape.name}: ${failure}`)
    }
  }
  return result
}

/** Whether the call in the registry works for any text. */
async function returnsForAny(work: TextWork): Promise<boolean> {
  for (const part of ['a', '1', ...PARTS]) if (await call(work, part)) return true
  return false
}

/** Returns a description of superlinear growth for a text; null if the time is proportional. */
async function growth(work: TextWork, shape: Shape, size: number, unseen: number): Promise<string | null> {
  for (const short of SHORT_SIZES) {
    if ((await quickest(work, shape.of(short), MAX_SHORT_MS)) < MAX_SHORT_MS) continue
    // On a busy machine wall time exceeds the processor time, and a garbage collection can distort one measurement.
    let spent = Infinity
    for (let tries = 0; tries < TRIES && spent >= MAX_SHORT_MS; tries += 1)
      spent = Math.min(spent, await cost(work, shape.of(short)))
    if (spent >= MAX_SHORT_MS) return `${spent.toFixed(1)} ms for ${short} characters`
  }
  if ((await quickest(work, shape.of(size), unseen)) < unseen) return null
  let [small, large] = [Infinity, Infinity]
  for (let again = 0; again < TRIES; again += 1) {
    small = Math.min(small, await cost(work, shape.of(size)))
    large = Math.min(large, await cost(work, shape.of(size * 2 ** DOUBLINGS)))
    // The ratio of a single doubling varies too much with the load of the machine.
    if (large <= MAX_DOUBLING_RATIO ** DOUBLINGS * Math.max(small, unseen / 2)) return null
  }
  return `${small.toFixed(1)} ms for ${size} characters, ${large.toFixed(1)} ms for ${size * 2 ** DOUBLINGS}`
}

/** Returns the minimum wall time of several calls in milliseconds. Stops once it is at most `enough`. */
async function quickest(work: TextWork, text: string, enough: number): Promise<number> {
  let least = Infinity
  for (let again = 0; again < 3 && least >= enough; again += 1) {
    const own = ownText(text)
    const before = performance.now()
    await call(work, own)
    least = Math.min(least, performance.now() - before)
  }
  return least
}

/** Whether a function returns instead of throwing. The time of an error is measured as well. */
async function call(work: TextWork, text: string): Promise<boolean> {
  try {
    await work(text)
    return true
  } catch {
    return false
  }
}

/** Minimum measured processor time: systems count it in steps of up to 10 ms. */
const MIN_MEASURED_MS = 15

/** Returns the processor time of a function for a text in milliseconds. */
async function cost(work: TextWork, text: string): Promise<number> {
  const usageBefore = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    await call(work, ownText(text))
    const { user, system } = process.threadCpuUsage(usageBefore)
    const spent = (user + system) / 1000
    if (spent >= MIN_MEASURED_MS) return spent / times
  }
}

/** Number of generated texts. Makes each text unique, because functions cache results. */
let textCount = 0

function ownText(text: string): string {
  return `${text} ${(textCount += 1)}`
}
