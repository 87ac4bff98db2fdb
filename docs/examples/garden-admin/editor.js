// A module of the rich editor: the block "Bed", the mark "plant" and a panel.
import { Node } from '@tiptap/core'

export function register(editor) {
  const bed = Node.create({
    name: 'gardenBed',
    group: 'block',
    content: 'inline*',
    addAttributes: editor.blockAttributes,
    parseHTML: () => [{ tag: 'p.garden-bed', priority: 60 }],
    renderHTML: () => ['p', { class: 'garden-bed' }, 0],
  })
  // The markup of the block: <!-- wp:garden/bed --><p class="garden-bed">Roses</p><!-- /wp:garden/bed -->
  const codec = {
    block: 'garden/bed',
    nodes: ['gardenBed'],
    read(reader) {
      const [element] = reader.parts
      if (reader.parts.length !== 1 || element.tag !== 'p') return null
      const content = reader.text(element.children)
      return content === null ? null : { tags: { main: element.open }, content }
    },
    write: (writer) => `${writer.tag('main', '<p class="garden-bed">')}${writer.text()}</p>`,
  }
  return {
    extensions: [bed],
    codecs: [codec],
    blocks: [
      {
        name: 'garden/bed',
        title: 'Bed',
        icon: 'feather',
        keywords: ['garden'],
        create: () => ({ type: 'gardenBed' }),
      },
    ],
    marks: [{ name: 'plant', tag: 'span', className: 'garden-plant', shortcut: 'Mod-Alt-p' }],
    panels: [{ name: 'garden/size', title: 'Garden', show: words }],
  }
}

/** Shows the number of words of a bed. */
function words(block) {
  if (block?.node.type.name !== 'gardenBed') return null
  const text = document.createElement('p')
  text.textContent = `Words: ${block.node.textContent.split(/\s+/).filter(Boolean).length}`
  return text
}
