// The blocks that a writer can insert.
/** @typedef {import('@tiptap/core').JSONContent} JSONContent */

/**
 * A block for the menu of blocks.
 * @typedef {object} InsertableBlock
 * @property {string} name name of the block type
 * @property {string} title English, to be translated
 * @property {string} icon name of a Lucide icon
 * @property {readonly string[]} keywords English
 * @property {() => JSONContent} create returns a new block. Blocks with media have an empty URL.
 */

const PARAGRAPH = { type: 'paragraph' }

/** @param {Record<string, unknown>} attributes */
function withAttributes(attributes) {
  return { attrs: { attributes } }
}

/** @param {string} type @returns {JSONContent} */
function list(type) {
  return { type, content: [{ type: 'listItem', content: [PARAGRAPH] }] }
}

/** @param {number} rows @param {number} columns @returns {JSONContent} */
function table(rows, columns) {
  const row = { type: 'tableRow', content: Array.from({ length: columns }, () => ({ type: 'tableCell' })) }
  return { type: 'tableBlock', content: [{ type: 'table', content: Array.from({ length: rows }, () => row) }] }
}

/** @param {number} count @returns {JSONContent} */
function columns(count) {
  return { type: 'columns', content: Array.from({ length: count }, () => ({ type: 'column', content: [PARAGRAPH] })) }
}

/**
 * @param {string} name @param {string} title @param {string} icon @param {string} keywords separated by spaces
 * @param {() => JSONContent} create
 * @returns {InsertableBlock}
 */
function block(name, title, icon, keywords, create) {
  return { name: `core/${name}`, title, icon, keywords: keywords.split(' '), create }
}

/** @type {readonly InsertableBlock[]} */
export const insertableBlocks = [
  block('paragraph', 'Paragraph', 'pilcrow', 'text', () => PARAGRAPH),
  ...[2, 3, 4].map((level) =>
    block('heading', `Heading ${level}`, `heading-${level}`, `title h${level}`, () => ({
      type: 'heading',
      ...withAttributes({ level }),
    })),
  ),
  block('list', 'List', 'list', 'bullet unordered ul', () => list('bulletList')),
  block('list', 'Numbered list', 'list-ordered', 'ordered ol', () => list('orderedList')),
  block('quote', 'Quote', 'quote', 'blockquote cite', () => ({
    type: 'quote',
    content: [PARAGRAPH, { type: 'citation' }],
  })),
  block('image', 'Image', 'image', 'picture photo', () => ({ type: 'image', ...withAttributes({ url: '', alt: '' }) })),
  block('gallery', 'Gallery', 'images', 'pictures photos', () => ({
    type: 'gallery',
    ...withAttributes({ linkTo: 'none' }),
  })),
  block('video', 'Video', 'video', 'movie film', () => ({ type: 'video', ...withAttributes({ controls: true }) })),
  block('audio', 'Audio', 'music', 'sound music podcast', () => ({
    type: 'audio',
    ...withAttributes({ controls: true }),
  })),
  block('file', 'File', 'paperclip', 'document pdf download', () => ({
    type: 'file',
    ...withAttributes({ href: '', textLinkHref: '', fileName: '', downloadButtonText: 'Download' }),
  })),
  block('embed', 'Embed', 'globe', 'url youtube video social', () => ({
    type: 'embed',
    ...withAttributes({ url: '' }),
  })),
  block('table', 'Table', 'table', 'rows cells', () => table(3, 2)),
  block('code', 'Code', 'square-code', 'pre source', () => ({ type: 'codeBlock' })),
  block('preformatted', 'Preformatted', 'code', 'pre', () => ({ type: 'preformatted' })),
  block('verse', 'Verse', 'feather', 'poem poetry', () => ({ type: 'verse' })),
  block('separator', 'Separator', 'minus', 'line hr divider', () => ({ type: 'separator' })),
  block('spacer', 'Spacer', 'move-vertical', 'space gap', () => ({
    type: 'spacer',
    ...withAttributes({ height: '100px' }),
  })),
  block('buttons', 'Buttons', 'square-play', 'link action', () => ({
    type: 'buttons',
    content: [{ type: 'button' }],
  })),
  block('columns', 'Columns', 'columns-2', 'layout grid', () => columns(2)),
  block('group', 'Group', 'folder', 'container section', () => ({
    type: 'group',
    ...withAttributes({ layout: { type: 'constrained' } }),
    content: [PARAGRAPH],
  })),
  block('details', 'Details', 'chevron-right', 'summary accordion faq', () => ({
    type: 'details',
    content: [{ type: 'summary' }, PARAGRAPH],
  })),
  block('html', 'Custom HTML', 'code-xml', 'code source', () => ({ type: 'html' })),
  block('shortcode', 'Shortcode', 'brackets', 'plugin', () => ({ type: 'shortcode' })),
  block('more', 'More', 'ellipsis', 'read excerpt', () => ({ type: 'more' })),
  block('nextpage', 'Page break', 'scissors', 'next page pagination', () => ({ type: 'pageBreak' })),
]
