// Splits content into blocks without losing a byte: the sources of the parts are the content.

/**
 * A block with its source.
 * @typedef {object} BlockSource
 * @property {string} name namespace and name: `core/paragraph`
 * @property {string} open the opening comment as written
 * @property {Record<string, unknown>} attributes attributes of the opening comment
 * @property {(string | BlockSource)[]} inner HTML and inner blocks
 * @property {string} close the closing comment as written; '' for a block without content
 * @property {string} source all of it, from the opening to the closing comment
 * @property {boolean} isVoid whether the block consists of one comment
 * @property {boolean} isSound false if a comment in it is unbalanced, nested too deep, or has attributes that are not a
 * JSON object. Such a block must stay as it is.
 */

/** Maximum nesting depth of blocks that can be edited. */
const MAX_DEPTH = 60

/**
 * @typedef {object} OpenBlock
 * @property {string} name
 * @property {string} open
 * @property {Record<string, unknown> | null} attributes
 * @property {(string | BlockSource)[]} inner
 * @property {number} start
 * @property {boolean} isSound
 */

/**
 * Splits content into HTML and blocks. A closing comment without an opening comment is HTML; an unclosed block ends with
 * its parent and is not sound.
 * @param {string} content
 * @param {string} mark prefix of block names in comments
 * @returns {(string | BlockSource)[]}
 */
export function parseBlocks(content, mark) {
  const start = new RegExp(`<!--\\s+(/?)${mark}:((?:[a-z][a-z0-9_-]*/)?[a-z][a-z0-9_-]*)(?=\\s|/)`, 'y')
  /** @type {OpenBlock} */
  const root = { name: '', open: '', attributes: {}, inner: [], start: 0, isSound: true }
  const open = [root]
  /** Number of open blocks by name: finds a missing opening comment without a search. @type {Map<string, number>} */
  const counts = new Map()
  let begin = 0
  let commentEnd = -1

  /** @param {string | BlockSource} part @param {boolean} isSound */
  const add = (part, isSound = true) => {
    const parent = open[open.length - 1] ?? root
    parent.inner.push(part)
    if (!isSound) parent.isSound = false
  }
  /** @param {number} end */
  const addHtml = (end) => {
    if (end > begin) add(content.slice(begin, end))
  }
  /** @param {string} comment the closing comment @param {number} end */
  const close = (comment, end) => {
    const block = open.pop() ?? root
    counts.set(block.name, (counts.get(block.name) ?? 1) - 1)
    const isSound = block.isSound && comment !== '' && block.attributes !== null && open.length <= MAX_DEPTH
    const source = content.slice(block.start, end)
    const { name, inner } = block
    const attributes = block.attributes ?? {}
    add({ name, open: block.open, attributes, inner, close: comment, source, isVoid: false, isSound }, isSound)
  }

  for (let at = content.indexOf('<!--'); at >= 0; at = content.indexOf('<!--', at)) {
    // Search the end once, even if many comments open before it: keeps parsing linear.
    if (commentEnd < at + 4) commentEnd = content.indexOf('-->', at + 4)
    if (commentEnd < 0) break
    start.lastIndex = at
    const [found, slash, written = ''] = start.exec(content) ?? []
    if (found === undefined || at + found.length > commentEnd) {
      at += 4
      continue
    }
    const name = written.includes('/') ? written : `core/${written}`
    const rest = content.slice(at + found.length, commentEnd).trim()
    const end = commentEnd + 3
    const comment = content.slice(at, end)
    if (slash === '/') {
      if ((counts.get(name) ?? 0) > 0) {
        addHtml(at)
        begin = end
        while (open.length > 1 && open[open.length - 1]?.name !== name) close('', at)
        close(comment, end)
      }
    } else if (rest.endsWith('/')) {
      addHtml(at)
      begin = end
      const attributes = attributesOf(rest.slice(0, -1))
      const isSound = attributes !== null
      add(
        {
          name,
          open: comment,
          attributes: attributes ?? {},
          inner: [],
          close: '',
          source: comment,
          isVoid: true,
          isSound,
        },
        isSound,
      )
    } else {
      addHtml(at)
      begin = end
      open.push({ name, open: comment, attributes: attributesOf(rest), inner: [], start: at, isSound: true })
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    at = end
  }
  addHtml(content.length)
  while (open.length > 1) close('', content.length)
  return root.inner
}

/**
 * @param {string} json
 * @returns {Record<string, unknown> | null} null if the text is not a JSON object
 */
function attributesOf(json) {
  const text = json.trim()
  if (text === '') return {}
  try {
    const value = /** @type {unknown} */ (JSON.parse(text))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && !Object.hasOwn(value, '__proto__') ? /** @type {Record<string, unknown>} */ (value) : null
  } catch {
    return null
  }
}

/**
 * Returns the opening comment of a block.
 * @param {string} name `core/paragraph`
 * @param {Record<string, unknown>} attributes
 * @param {string} mark
 */
export function openingComment(name, attributes, mark) {
  const json = Object.keys(attributes).length === 0 ? '' : ` ${attributesJson(attributes)}`
  return `<!-- ${mark}:${shortName(name)}${json} -->`
}

/** @param {string} name @param {string} mark */
export function closingComment(name, mark) {
  return `<!-- /${mark}:${shortName(name)} -->`
}

/**
 * Returns the comment of a block without content.
 * @param {string} name
 * @param {Record<string, unknown>} attributes
 * @param {string} mark
 */
export function voidComment(name, attributes, mark) {
  return openingComment(name, attributes, mark).replace(/ -->$/, ' /-->')
}

/** @param {string} name */
function shortName(name) {
  return name.startsWith('core/') ? name.slice('core/'.length) : name
}

/**
 * Serializes attributes so that they cannot end a comment (block editor handbook, "Serialization and parsing").
 * @param {Record<string, unknown>} attributes
 */
function attributesJson(attributes) {
  return JSON.stringify(attributes)
    .replaceAll('--', String.raw`\u002d\u002d`)
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('>', String.raw`\u003e`)
    .replaceAll('&', String.raw`\u0026`)
    .replaceAll('\\\\', String.raw`\u005c`)
    .replaceAll(String.raw`\"`, String.raw`\u0022`)
}
