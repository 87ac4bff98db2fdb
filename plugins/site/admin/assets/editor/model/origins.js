// Where a node comes from. A node that equals the one that was read from a source is written as that source.
/** @typedef {import('@tiptap/pm/model').Node} Node */

/**
 * The place of a block in the source of its parent.
 * @typedef {object} Origin
 * @property {string} source bytes of the block; '' for the paragraph that fills an empty parent
 * @property {string} before spaces between the previous block and this one
 * @property {string} after spaces after the last block, otherwise ''
 * @property {boolean} isLast
 * @property {number} index position among its siblings
 * @property {boolean} [isClassic] whether the source is a piece of classic content
 * @property {number} run number of the list of siblings: two runs have nothing in common
 */

/** The nodes as read. A node copied as JSON is not in here. @type {WeakMap<Origin, Node>} */
const originals = new WeakMap()
let runs = 0

/** Returns the number of a new list of siblings. */
export function newRun() {
  runs += 1
  return runs
}

/** @param {Node} node */
export function rememberOriginal(node) {
  const origin = originOf(node)
  if (origin !== null) originals.set(origin, node)
}

/**
 * @param {Node} node
 * @returns {Origin | null}
 */
export function originOf(node) {
  return /** @type {Origin | null} */ (node.attrs['origin'] ?? null)
}

/**
 * Whether a node is unchanged since it was read.
 * @param {Node} node
 * @param {(origin: Origin) => Node | null} readAgain reads the source of a node that came as JSON
 * @param {boolean} [isInClassic] whether the node is in classic content: a source of another place has another form
 */
export function isUnchanged(node, readAgain, isInClassic = false) {
  const origin = originOf(node)
  if (origin === null || (origin.isClassic === true) !== isInClassic) return false
  let original = originals.get(origin)
  if (original === undefined) {
    const read = readAgain(origin)
    if (read === null) return false
    original = read
    originals.set(origin, original)
  }
  return node === original || isSame(node, original)
}

/**
 * Whether two nodes have the same content, wherever they come from.
 * @param {Node} a @param {Node} b
 * @returns {boolean}
 */
export function isSame(a, b) {
  if (a === b) return true
  if (a.isText) return a.eq(b)
  // Its notes are not in its source.
  if (a.type.name === 'footnotes' && a.type === b.type)
    return JSON.stringify(a.attrs['attributes']) === JSON.stringify(b.attrs['attributes'])
  if (a.type !== b.type || a.childCount !== b.childCount) return false
  if (
    !a.type
      .create({ ...a.attrs, origin: null }, null, a.marks)
      .eq(b.type.create({ ...b.attrs, origin: null }, null, b.marks))
  )
    return false
  for (let index = 0; index < a.childCount; index += 1) if (!isSame(a.child(index), b.child(index))) return false
  return true
}
