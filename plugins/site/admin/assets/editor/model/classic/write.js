// Nodes → classic content: HTML without block comments.
import { sectionsOf } from '../blocks/table.js'
import { codecOfNode } from '../codecs.js'
import { startTag } from '../html.js'
import { plain } from '../values.js'

/** @typedef {import('../codecs.js').Codec} Codec */
/** @typedef {import('../write.js').BlockWriter} BlockWriter */
/** @typedef {import('@tiptap/pm/model').Node} Node */

/** @param {BlockWriter} writer */
const hasTags = (writer) => writer.context.classic?.hasTags === true

/**
 * Returns the start tag of the main element. A new alignment is a style; it replaces the attribute `align`.
 * @param {BlockWriter} writer @param {string} initial @param {Record<string, string | boolean | null | undefined>} [changes]
 */
function mainTag(writer, initial, changes = {}) {
  const name = writer.codec.textAlign ?? 'align'
  return writer.tag('main', initial, { align: writer.changed(name, null), ...changes })
}

/** @param {string} name @param {Partial<Codec> & Pick<Codec, 'write'>} codec @returns {[string, Codec]} */
const codec = (name, { write, ...others }) => [
  name,
  { block: `classic:${name}`, nodes: [name], isClassic: true, read: () => null, ...others, write },
]

/** @type {ReadonlyMap<string, Codec>} */
const codecs = new Map([
  codec('paragraph', {
    textAlign: 'align',
    classes: ({ dropCap }, role) => (role === 'main' && dropCap === true ? ['has-drop-cap'] : []),
    write(writer) {
      const open = mainTag(writer, '<p>')
      const text = writer.text()
      const isTagged = writer.form?.tags['main'] !== undefined
      // The site adds paragraphs to content without blocks.
      if (!isTagged && open === '<p>' && (!hasTags(writer) || text === '')) return text
      return `${open}${text}</p>`
    },
  }),
  codec('heading', {
    textAlign: 'textAlign',
    write(writer) {
      const tag = `h${Number(writer.attributes['level'] ?? 2)}`
      return `${mainTag(writer, `<${tag}>`)}${writer.text()}</${tag}>`
    },
  }),
  codec('bulletList', { write: (writer) => listHtml(writer, 'ul') }),
  codec('orderedList', { write: (writer) => listHtml(writer, 'ol') }),
  codec('listItem', {
    write(writer) {
      const [text, ...lists] = writer.children
      const inner = lists.map((list) => `\n${writer.one(list)}`).join('')
      return `${mainTag(writer, '<li>')}${writer.text(text)}${inner}${inner === '' ? '' : '\n'}</li>`
    },
  }),
  codec('quote', {
    textAlign: 'textAlign',
    write(writer) {
      const citation = writer.children.find(({ type }) => type.name === 'citation')
      const blocks = writer.blocks(writer.children.filter((child) => child !== citation))
      const text = citation === undefined ? '' : writer.text(citation)
      const parent = writer.form?.tags['citeParent'] ?? (hasTags(writer) ? '<p>' : '')
      const end = parent === '' ? '' : `</${startTag(parent)?.tag ?? 'p'}>`
      const cite = text === '' ? '' : `\n\n${parent}${writer.tag('cite', '<cite>')}${text}</cite>${end}`
      return `${mainTag(writer, '<blockquote>')}${blocks}${cite}</blockquote>`
    },
  }),
  codec('codeBlock', {
    write: (writer) => `${mainTag(writer, '<pre>')}${writer.tag('code', '<code>')}${writer.text()}</code></pre>`,
  }),
  codec('preformatted', { write: (writer) => `${mainTag(writer, '<pre>')}${writer.text()}</pre>` }),
  codec('tableBlock', {
    write(writer) {
      const [table, caption] = writer.children
      const text = caption === undefined ? '' : writer.text(caption)
      const title = text === '' ? '' : `${writer.tag('caption', '<caption>')}${text}</caption>`
      return `${mainTag(writer, '<table>')}${title}${table === undefined ? '' : sectionsOf(writer, table)}</table>`
    },
  }),
  codec('separator', { write: (writer) => mainTag(writer, '<hr />') }),
  codec('image', { colorRole: 'img', classes: imageClasses, write: imageHtml }),
])

/**
 * Returns the codec for a node in classic content. Nodes without one are written as their blocks are, without comments.
 * @param {string} name
 */
export function classicCodecOf(name) {
  return codecs.get(name) ?? codecOfNode(name)
}

/** @param {BlockWriter} writer @param {'ul' | 'ol'} tag */
function listHtml(writer, tag) {
  const { start, reversed } = writer.attributes
  const open = mainTag(writer, `<${tag}>`, {
    start: writer.changed('start', tag === 'ol' && typeof start === 'number' ? String(start) : null),
    reversed: writer.changed('reversed', tag === 'ol' && reversed === true),
  })
  return `${open}\n${writer.children.map((item) => writer.one(item)).join('\n')}\n</${tag}>`
}

/** @param {Record<string, unknown>} attributes @param {string} role @returns {string[]} */
function imageClasses({ id, sizeSlug, align, className }, role) {
  if (role === 'figure')
    return [...(align ? [`align${plain(align)}`] : []), ...plain(className).split(/\s+/).filter(Boolean)]
  if (role !== 'img' && role !== 'main') return []
  return [...(sizeSlug ? [`size-${plain(sizeSlug)}`] : []), ...(typeof id === 'number' ? [`wp-image-${id}`] : [])]
}

/** @param {BlockWriter} writer */
function imageHtml(writer) {
  const { url, alt, title, href, rel, linkClass, linkTarget, width, height } = writer.attributes
  const text = writer.text()
  const figure = writer.form?.tags['figure'] ?? (text === '' ? undefined : '<figure>')
  const known = writer.form?.tags['img'] === undefined ? 'main' : 'img'
  const role = writer.form === null && figure !== undefined ? 'img' : known
  const img = writer.tag(role, '<img src="" alt="" />', {
    src: writer.changed('url', url),
    alt: writer.changed('alt', alt ?? ''),
    title: writer.changed('title', title || null),
    width: writer.changed('width', pixels(width)),
    height: writer.changed('height', pixels(height)),
  })
  const link = href
    ? writer.tag('link', '<a>', {
        href: writer.changed('href', href),
        class: writer.changed('linkClass', linkClass),
        target: writer.changed('linkTarget', linkTarget),
        rel: writer.changed('rel', rel),
      })
    : null
  const picture = link === null ? img : `${link}${img}</a>`
  const paragraph = writer.form?.tags['paragraph']
  if (figure === undefined) {
    const isLine = paragraph !== undefined || hasTags(writer)
    return isLine ? `${paragraph ?? '<p>'}${picture}</p>` : picture
  }
  if (figure.startsWith('[')) return text === '' ? picture : `${captionTag(writer, figure)}${picture} ${text}[/caption]`
  const caption = text === '' ? '' : `${writer.tag('caption', '<figcaption>')}${text}</figcaption>`
  const open = known === 'main' && writer.form !== null ? '<figure>' : writer.tag('figure', '<figure>')
  return `${open}${picture}${caption}</figure>`
}

/** @param {unknown} size */
function pixels(size) {
  return /^\d+px$/.test(plain(size)) ? plain(size).slice(0, -'px'.length) : null
}

/** @param {BlockWriter} writer @param {string} tag */
function captionTag({ attributes: { align }, form }, tag) {
  if (form?.attributes['align'] === align) return tag
  const value = `align="align${plain(align) || 'none'}"`
  return /\salign="[^"]*"/.test(tag)
    ? tag.replace(/align="[^"]*"/, value)
    : tag.replace('[caption', `[caption ${value}`)
}
