// Settings of block types: which fields the tab "Block" shows for an attribute.

/**
 * @typedef {object} Setting
 * @property {string} name of the attribute
 * @property {string} label key of the text
 * @property {'text' | 'lines' | 'flag' | 'choice' | 'number'} kind
 * @property {readonly (string | number)[]} [choices] values; their labels are the keys `label-value`, or the values
 * @property {unknown} [initial] value of a missing attribute
 * @property {string} [hint]
 */

/** @type {Readonly<Record<string, readonly Setting[]>>} */
export const SETTINGS = {
  paragraph: [{ name: 'dropCap', label: 'dropCap', kind: 'flag' }],
  heading: [{ name: 'level', label: 'level', kind: 'choice', choices: [1, 2, 3, 4, 5, 6], initial: 2 }],
  orderedList: [
    { name: 'start', label: 'start', kind: 'number' },
    { name: 'reversed', label: 'reversed', kind: 'flag' },
  ],
  image: [
    { name: 'alt', label: 'alt', kind: 'lines', hint: 'altHint' },
    {
      name: 'sizeSlug',
      label: 'size',
      kind: 'choice',
      choices: ['thumbnail', 'medium', 'large', 'full'],
      initial: 'full',
    },
    { name: 'width', label: 'width', kind: 'text', hint: 'widthHint' },
    { name: 'href', label: 'linkTo', kind: 'text' },
    { name: 'title', label: 'titleAttribute', kind: 'text' },
  ],
  gallery: [
    { name: 'columns', label: 'columns', kind: 'number' },
    { name: 'imageCrop', label: 'crop', kind: 'flag', initial: true },
  ],
  tableBlock: [{ name: 'hasFixedLayout', label: 'fixedColumns', kind: 'flag', initial: true }],
  details: [{ name: 'showContent', label: 'openInitially', kind: 'flag' }],
  embed: [{ name: 'url', label: 'embedUrl', kind: 'text' }],
  button: [
    { name: 'url', label: 'linkTo', kind: 'text' },
    { name: 'linkTarget', label: 'newTab', kind: 'flag' },
  ],
  audio: [
    { name: 'autoplay', label: 'autoplay', kind: 'flag' },
    { name: 'loop', label: 'loop', kind: 'flag' },
  ],
  video: [
    { name: 'controls', label: 'controls', kind: 'flag', initial: true },
    { name: 'autoplay', label: 'autoplay', kind: 'flag' },
    { name: 'loop', label: 'loop', kind: 'flag' },
    { name: 'muted', label: 'muted', kind: 'flag' },
    { name: 'poster', label: 'poster', kind: 'text' },
  ],
  file: [
    { name: 'fileName', label: 'fileName', kind: 'text' },
    { name: 'showDownloadButton', label: 'downloadButton', kind: 'flag', initial: true },
  ],
  spacer: [{ name: 'height', label: 'height', kind: 'text', initial: '100px' }],
  columns: [
    { name: 'isStackedOnMobile', label: 'stacked', kind: 'flag', initial: true },
    {
      name: 'verticalAlignment',
      label: 'verticalAlignment',
      kind: 'choice',
      choices: ['', 'top', 'center', 'bottom'],
      initial: '',
    },
  ],
  column: [{ name: 'width', label: 'width', kind: 'text', hint: 'widthHint' }],
  more: [
    { name: 'customText', label: 'moreText', kind: 'text' },
    { name: 'noTeaser', label: 'noTeaser', kind: 'flag' },
  ],
}

/** Nodes with the colors of the theme. */
export const COLORED = new Set([
  'paragraph',
  'heading',
  'bulletList',
  'orderedList',
  'quote',
  'group',
  'columns',
  'column',
  'button',
  'verse',
  'codeBlock',
  'preformatted',
  'tableBlock',
  'details',
])

/** Nodes whose markup has no element for an ID. */
export const WITHOUT_ANCHOR = new Set(['more', 'pageBreak', 'footnotes', 'pattern', 'html', 'shortcode'])

/** Attributes of unknown blocks that are not edited as a value. */
export const HIDDEN_ATTRIBUTES = new Set(
  'lock metadata style className anchor align backgroundColor textColor gradient borderColor fontSize fontFamily'.split(
    ' ',
  ),
)

/**
 * Returns the settings of the attributes of a block type, from its schema in the REST API.
 * @param {Record<string, { type?: string | string[], enum?: unknown[], default?: unknown, source?: string }>} schemas
 * @returns {(Setting & { text: string })[]}
 */
export function settingsOfSchemas(schemas) {
  return Object.entries(schemas).flatMap(([name, { type, enum: values, default: initial, source }]) => {
    // Attributes with a source are in the HTML of the block.
    if (source !== undefined || HIDDEN_ATTRIBUTES.has(name)) return []
    const text = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/^./, (first) => first.toUpperCase())
    const types = Array.isArray(type) ? type : [type]
    /** @type {Setting['kind'] | null} */
    const kind = Array.isArray(values)
      ? 'choice'
      : types.includes('boolean')
        ? 'flag'
        : types.includes('number') || types.includes('integer')
          ? 'number'
          : types.includes('string')
            ? 'text'
            : null
    const choices = Array.isArray(values) ? { choices: values.map(String) } : {}
    return kind === null
      ? []
      : [{ name, text, label: name, kind, ...choices, ...(initial === undefined ? {} : { initial }) }]
  })
}
