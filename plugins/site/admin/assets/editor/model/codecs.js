// The known block types: how the markup of each becomes a node, and a node its markup.
import { atomCodecs } from './blocks/atoms.js'
import { containerCodecs } from './blocks/containers.js'
import { mediaCodecs } from './blocks/media.js'
import { tableCodec } from './blocks/table.js'
import { textCodecs } from './blocks/text.js'

/** @typedef {import('./read.js').BlockReader} BlockReader */
/** @typedef {import('./write.js').BlockWriter} BlockWriter */
/** @typedef {import('@tiptap/pm/model').Node} Node */

/**
 * The parts of a block.
 * @typedef {object} BlockParts
 * @property {Record<string, unknown>} [attributes] attributes found in the markup
 * @property {Record<string, string>} [tags] start tags by role. `main` is the element with the classes of the block.
 * @property {Node[]} [content]
 * @property {string} [node] name of the node type; by default the first of the codec
 */

/**
 * @typedef {object} Codec
 * @property {string} block name of the block type
 * @property {readonly string[]} nodes names of its node types
 * @property {boolean} [isVoid] whether the block is one comment
 * @property {string} [needs] attribute without which the block is one comment
 * @property {boolean} [isVerbatim] whether the content is written with the same bytes
 * @property {readonly string[]} [sourced] attributes that are found in the markup and not in the comment
 * @property {Readonly<Record<string, unknown>>} [defaults] values that the comment leaves out
 * @property {boolean} [isClassic] whether it writes classic content, in which alignments are styles
 * @property {'align' | 'textAlign'} [textAlign] attribute with the alignment of the text
 * @property {string} [colorRole] role of the element with the colors; `main` by default
 * @property {string} [fontRole]
 * @property {string} [spacingRole]
 * @property {(attributes: Record<string, unknown>, role: string) => string[]} [classes] further classes
 * @property {(attributes: Record<string, unknown>, role: string) => Record<string, string>} [style] further styles
 * @property {(node: Node, attributes: Record<string, unknown>) => Record<string, unknown>} [adjust] adds attributes that
 * follow from the node type
 * @property {(reader: BlockReader) => BlockParts | null} read returns null for markup that it does not know
 * @property {(writer: BlockWriter) => string} write
 */

/** @type {readonly Codec[]} */
const codecs = [...textCodecs, ...containerCodecs, ...mediaCodecs, tableCodec, ...atomCodecs]
const byBlock = new Map(codecs.map((codec) => [codec.block, codec]))
const byNode = new Map(codecs.flatMap((codec) => codec.nodes.map((node) => [node, codec])))

/** Adds a block type of a plugin. @param {Codec} codec */
export function addCodec(codec) {
  byBlock.set(codec.block, codec)
  for (const node of codec.nodes) byNode.set(node, codec)
}

/** @param {string} name @returns {Codec | undefined} */
export function codecOfBlock(name) {
  return byBlock.get(name)
}

/** @param {string} name @returns {Codec | undefined} */
export function codecOfNode(name) {
  return byNode.get(name)
}
