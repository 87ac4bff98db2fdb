import * as assert from 'uvu/assert'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { getSchema, type Extensions, type JSONContent } from '@tiptap/core'
import type { Node, Schema } from '@tiptap/pm/model'
import type { EditorState, Plugin, Transaction } from '@tiptap/pm/state'

/** The notes of a post. */
export interface Notes {
  write(doc: Node): string
}

/** The modules with the document model of the rich editor, which are scripts for browsers. */
export interface EditorModel {
  createExtensions(this: void): Extensions
  readDocument(this: void, source: string, schema: Schema): Node
  writeDocument(this: void, doc: Node): string
  loadClassic(this: void): Promise<void>
  convertClassic(this: void, node: Node): Node[]
  isTextual(this: void, node: Node): boolean
  typesOf(this: void, node: Node): string[]
  transformBlock(this: void, node: Node, name: string): Node[] | null
  readonly Notes: new (source?: string) => Notes
  withNotes(this: void, doc: Node, notes: Notes): Node
  footnotePlugin(this: void, notesOf: () => Notes): Plugin
  insertFootnote(this: void, state: EditorState): { tr: Transaction; id: string } | null
  readonly insertableBlocks: readonly { name: string; title: string; create(): JSONContent }[]
}

const ASSETS = join(import.meta.dirname, '../../plugins/site/admin/assets')

const imported = ['index.js', 'classic/convert.js'].map((file) => import(join(ASSETS, 'editor/model', file)))

export const model = Object.assign({}, ...(await Promise.all(imported))) as EditorModel
await model.loadClassic()
export const schema = getSchema(model.createExtensions())

const ROOT = resolve(import.meta.dirname, '../..')
const DATA = join(resolve(process.env['SVC_SHARED'] ?? join(ROOT, '..', 'shared')), 'data')

/** Content with the name of its file. */
export interface FixtureContent {
  readonly place: string
  readonly content: string
}

/** Whether the shared data is on this machine. Without it, fixtures have few contents. */
export const hasSharedData = existsSync(join(DATA, 'site'))

/** The different contents in the export files of this checkout, and of the shared data if they are on this machine. */
export function fixtureContents(): FixtureContent[] {
  const folders = [join(ROOT, 'test/fixtures'), ...['site', 'site-7.1', 'public'].map((name) => join(DATA, name))]
  const contents = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => /\.wxr\.xml(?:\.gz)?$/.test(file))
    .flatMap((file) => {
      const bytes = readFileSync(file)
      const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
      const found = text.matchAll(/<content:encoded><!\[CDATA\[([^]*?)\]\]><\/content:encoded>/g)
      return [...found].map(({ 1: content = '', index }) => ({ place: `${file}, offset ${index}`, content }))
    })
  return [...new Map(contents.map((one) => [one.content, one])).values()]
}

/** Returns the position of the first occurrence of a text in a document. @throws AssertionError if it is missing */
export function positionOf(doc: Node, text: string): number {
  let found = -1
  doc.descendants((node, position) => {
    if (found < 0 && node.isText && node.text!.includes(text)) found = position + node.text!.indexOf(text)
  })
  assert.ok(found >= 0, text)
  return found
}

/** Returns a copy of a document that does not know the sources of its blocks, so that all of them are serialized. */
export function withoutOrigin(doc: Node): Node {
  const strip = (node: JSONContent): JSONContent => ({
    ...node,
    ...(node.attrs !== undefined && 'origin' in node.attrs && { attrs: { ...node.attrs, origin: null } }),
    ...(node.content !== undefined && { content: node.content.map(strip) }),
  })
  return schema.nodeFromJSON(strip(doc.toJSON()))
}
