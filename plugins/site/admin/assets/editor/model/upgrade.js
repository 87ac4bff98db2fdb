// Former markup of blocks in its current form. A block that is not touched keeps the former one.

/** @typedef {import('./grammar.js').BlockSource} BlockSource */

/**
 * @param {BlockSource} block
 * @param {string} mark
 * @returns {BlockSource}
 */
export function upgrade(block, mark) {
  const change = UPGRADES[block.name]
  return change === undefined ? block : change(block, mark)
}

/** @type {Readonly<Record<string, (block: BlockSource, mark: string) => BlockSource>>} */
const UPGRADES = {
  // Before version 6.2 headings had no class.
  'core/heading': (block) => {
    const [html] = block.inner
    if (
      typeof html !== 'string' ||
      block.inner.length !== 1 ||
      /^\s*<h[1-6][^>]*\swp-block-heading|"wp-block-heading/.test(html)
    )
      return block
    return { ...block, inner: [withClass(html, 'wp-block-heading')] }
  },
}

/**
 * Adds a class to the first element.
 * @param {string} html @param {string} name
 */
function withClass(html, name) {
  return /^\s*<[a-z0-9-]+[^>]*\sclass="/.test(html)
    ? html.replace(/\sclass="/, `$&${name} `)
    : html.replace(/^\s*<[a-z0-9-]+/, `$& class="${name}"`)
}
