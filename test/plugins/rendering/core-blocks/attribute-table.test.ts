import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { BlockType } from '../../../../plugins/rendering/blocks/index.ts'
import { places } from '../../../helpers/stores.ts'
import { RENDERED_LINES } from './attribute-table.ts'
import { STORED_LINES } from './static-attributes.ts'
import { serveBlocks } from './shown-blocks.ts'

type Values = Readonly<Record<string, unknown>>

/** Returns a value that differs from the default of an attribute, by its schema. */
function anotherValue(schema: { type?: unknown; enum?: readonly unknown[]; default?: unknown }): unknown {
  const other = schema.enum?.find((one) => one !== schema.default)
  if (other !== undefined) return other
  const [type] = [schema.type].flat()
  if (type === 'boolean') return schema.default !== true
  if (type === 'number' || type === 'integer') return 3
  if (type === 'array') return ['other']
  return type === 'object' ? { other: true } : 'other'
}

/** Records which attributes the renderer of a type reads. */
function recordReads(type: BlockType, read: Set<string>): void {
  const { render } = type
  if (render === null) return
  const recorded = (attributes: Values): Values =>
    new Proxy(attributes, {
      get: (values, name) => {
        if (typeof name === 'string') read.add(name)
        return Reflect.get(values, name) as unknown
      },
    })
  const recording: BlockType['render'] = (block, place) =>
    render(Object.assign(Object.create(block) as typeof block, { attributes: recorded(block.attributes) }), place)
  Object.assign(type, { render: recording })
}

for (const { name: database, make } of places) {
  const table = suite(`table of attributes, ${database}`)

  table('says which value of each attribute changes the HTML of its block, and what no renderer reads', async () => {
    await using shown = await serveBlocks(await make())
    const { blocks } = shown.site.kernel.services
    const failed: string[] = []
    for (const [name, block] of Object.entries(RENDERED_LINES)) {
      const type = blocks.get(`core/${name}`)!
      const read = new Set<string>()
      recordReads(type, read)
      const plain = await shown.show(name, block, {})
      for (const [attribute, line] of Object.entries(block.lines)) {
        if (typeof line === 'string') continue
        const [value, expected, more = {}, around] = line
        const matches = (html: string) => (typeof expected === 'string' ? html.includes(expected) : expected.test(html))
        const html = await shown.show(name, block, { ...more, [attribute]: value }, around)
        const isPlain = Object.keys(more).length === 0 && around === undefined
        const before = isPlain ? plain : await shown.show(name, block, more, around)
        if (!matches(html)) failed.push(`${name}.${attribute}: ${html}`)
        else if (matches(before)) failed.push(`${name}.${attribute} does not matter: ${before}`)
      }
      for (const [attribute, line] of Object.entries(block.lines)) {
        if (line === 'children') {
          const isProvided = Object.values(type.provides_context).includes(attribute)
          if (!isProvided && !read.has(attribute)) failed.push(`${name}.${attribute} is not passed on`)
        } else if (typeof line === 'string' && line !== 'other' && read.has(attribute))
          failed.push(`${name}.${attribute} is listed as ${line}, but its renderer reads it`)
      }
    }
    assert.equal(failed, [])
    const menu = (location: string) => `<!-- wp:navigation-link {"label":"Menu of ${location}","url":"/x"} /-->`
    Object.assign(shown.site.kernel.services.navigation, {
      shown: (location: string) => Promise.resolve({ title: location, content: menu(location) }),
    })
    assert.match(
      await shown.show('navigation', { place: 'page', lines: {} }, { __unstableLocation: 'footer' }),
      '>Menu of footer</span>',
    )
  })

  table('says which attributes of stored blocks change nothing', async () => {
    await using shown = await serveBlocks(await make())
    const { blocks } = shown.site.kernel.services
    const failed: string[] = []
    for (const [name, reasons] of Object.entries(STORED_LINES)) {
      const type = blocks.get(`core/${name}`)!
      const html = (values: Values) =>
        shown.show(name, { inside: '<div class="stored"><p>Text</p></div>', lines: {} }, values)
      const plain = await html({})
      for (const [reason, names] of Object.entries(reasons))
        for (const attribute of names.split(' ')) {
          if (reason === 'children') {
            if (!Object.values(type.provides_context).includes(attribute))
              failed.push(`${name}.${attribute} is not passed on`)
            continue
          }
          const changed = await html({ [attribute]: anotherValue(type.attributes[attribute]!) })
          if (changed !== plain) failed.push(`${name}.${attribute} is listed as ${reason}, but changes ${changed}`)
        }
    }
    assert.equal(failed, [])
  })

  table.run()
}
