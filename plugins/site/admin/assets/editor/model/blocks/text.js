// Paragraph and heading.
/** @typedef {import('../codecs.js').Codec} Codec */

/** @type {readonly Codec[]} */
export const textCodecs = [
  {
    block: 'core/paragraph',
    node: 'paragraph',
    textAlign: 'align',
    classes: ({ dropCap }, role) => (role === 'main' && dropCap === true ? ['has-drop-cap'] : []),
    read(reader) {
      const [element, ...others] = reader.parts
      if (element?.type !== 'element' || element.tag !== 'p' || others.length > 0) return null
      const content = reader.text(element.children)
      return content === null ? null : { tags: { main: element.open }, content }
    },
    write: (writer) => `${writer.tag('main', '<p>')}${writer.text()}</p>`,
  },
  {
    block: 'core/heading',
    node: 'heading',
    textAlign: 'textAlign',
    defaults: { level: 2 },
    read(reader) {
      const [element, ...others] = reader.parts
      if (element?.type !== 'element' || !/^h[1-6]$/.test(element.tag) || others.length > 0) return null
      const content = reader.text(element.children)
      const attributes = { level: Number(element.tag.slice(1)) }
      return content === null ? null : { attributes, tags: { main: element.open }, content }
    },
    write(writer) {
      const tag = `h${Number(writer.attributes['level'] ?? 2)}`
      return `${writer.tag('main', `<${tag} class="wp-block-heading">`)}${writer.text()}</${tag}>`
    },
  },
]
