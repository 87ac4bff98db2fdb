import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { as, serve, startOnly } from '../../../helpers/site.ts'

startOnly('core-blocks', 'templates', 'block-patterns', 'options-method')

const types = suite('block types')

/** A block type as the REST API lists it. */
interface ListedType {
  name: string
  style: string | null
  style_handles: string[]
  editor_style: string | null
  editor_style_handles: string[]
  variations: { name: string; title: string; attributes: object; isDefault?: boolean }[]
}

const garden = definePlugin({
  name: 'garden',
  needs: ['blocks', 'content-types', 'taxonomies'],
  apply({ services }) {
    services.contentTypes.register('plant', { label: 'Plants', public: true, show_in_rest: true })
    services.contentTypes.register('tool', { label: 'Tools', public: false, show_in_rest: true })
    services.taxonomies.register('colour', ['plant'], { label: 'Colours', show_in_rest: true })
    services.blocks.register('garden/bed', {
      variations: [{ name: 'round', title: 'Round' }],
      variation_callback: async () => [{ name: 'square', title: 'Square' }],
    })
  },
})

const namesOf = (list: readonly { name: string }[]) => list.map(({ name }) => name)

types('have the handles of their styles, the first of each also as a text', async () => {
  for (const word of ['svc', 'wp']) {
    await using site = await serve({ word })
    const listed = (await site.json(`/${word}/v2/block-types`, as('contributor'))) as ListedType[]
    assert.ok(listed.length > 100)
    for (const { name, style, style_handles: styles, editor_style: editor, editor_style_handles: editors } of listed) {
      const slug = name.slice('core/'.length)
      assert.is(styles[0], `wp-block-${slug}`, name)
      assert.is(style, styles[0]!, name)
      assert.is(editor, editors[0] ?? null, name)
      if (slug !== 'post-comments') assert.equal(editors, [`wp-block-${slug}-editor`])
    }
  }
})

types('have variations for the types, taxonomies and template parts of the site', async () => {
  await using site = await serve({ add: [garden] })
  const variations = async (name: string) => {
    const type = (await site.json(`/svc/v2/block-types/${name}`, as('contributor'))) as ListedType
    return type.variations
  }
  assert.equal(namesOf(await variations('garden/bed')), ['round', 'square'])
  const links = await variations('core/navigation-link')
  assert.equal(
    namesOf(links).filter((name) => name !== 'post_format'),
    ['post', 'page', 'category', 'tag', 'plant', 'colour'],
  )
  assert.equal(links.find(({ name }) => name === 'tag')?.attributes, { type: 'tag', kind: 'taxonomy' })
  assert.equal(links.find(({ name }) => name === 'plant')?.attributes, { type: 'plant', kind: 'post-type' })
  const terms = await variations('core/post-terms')
  assert.equal(namesOf(terms), ['category', 'post_tag', 'colour'])
  assert.equal(
    terms.map(({ isDefault = false }) => isDefault),
    [true, false, false],
  )
  const parts = namesOf(await variations('core/template-part'))
  assert.equal(
    parts.filter((name) => name.startsWith('area_')),
    ['area_header', 'area_footer'],
  )
  const stored = (await site.json('/svc/v2/template-parts', as('administrator'))) as { slug: string }[]
  assert.ok(stored.length > 0)
  assert.equal(
    new Set(parts.filter((name) => name.startsWith('instance_'))),
    new Set(stored.map(({ slug }) => `instance_${slug}`)),
  )
})

types('list a new template part as a variation as soon as it is stored', async () => {
  await using site = await serve()
  const read = async () => {
    const type = (await site.json('/svc/v2/block-types/core/template-part', as('contributor'))) as ListedType
    return namesOf(type.variations)
  }
  assert.not.ok((await read()).includes('instance_banner'))
  const created = await site.request('/svc/v2/template-parts', {
    method: 'POST',
    headers: { ...as('administrator'), 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'banner', title: 'Banner', area: 'header', content: '' }),
  })
  assert.is(created.status, 201)
  assert.ok((await read()).includes('instance_banner'))
})

types('have a schema that describes all fields of the listed types', async () => {
  await using site = await serve()
  const response = await site.request('/svc/v2/block-types', { method: 'OPTIONS', headers: as('contributor') })
  const { schema } = (await response.json()) as { schema: { properties: Record<string, { type: string[] | string }> } }
  const listed = (await site.json('/svc/v2/block-types', as('contributor'))) as ListedType[]
  for (const type of listed)
    for (const [name, value] of Object.entries(type)) {
      if (name === '_links') continue
      const property = schema.properties[name]
      assert.ok(property, `${type.name}: ${name}`)
      const isEmpty = Array.isArray(value) && value.length === 0
      const kind =
        value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value
      // Clients of WordPress receive an empty list in place of an empty object.
      assert.ok(isEmpty || [property.type].flat().includes(kind), `${type.name}: ${name} is ${kind}`)
    }
})

types.run()
