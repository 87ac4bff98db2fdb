import { sql } from 'kysely'
import type { Kernel } from '../../bin/config/index.ts'
import { definePlugin, Owner, RequestCache, requestOf, type PluginContext } from '../../kernel/index.ts'
import { VISIBLE_TO_ALL } from '../../plugins/storage/changes/index.ts'
import { SERVICE_FIELDS } from './random-services.ts'
import type { RandomObjects } from './random-tools.ts'

/** Stock of an item by the ID of its post, known only in the memory of this process. */
export const stock = new Map<number, number>()

/** The objects that the fields of `furniture` contain. */
export const watched: { objects: RandomObjects | null } = { objects: null }

const NUMBER = { type: 'integer', context: ['view', 'embed', 'edit'] } as const

/** A third-party plugin: fields that depend on its own tables and cache tags, and registered meta. */
export const furniture = definePlugin({
  name: 'furniture',
  needs: [
    'extra-fields',
    'meta',
    'posts',
    'comments',
    'terms',
    'users',
    'permalinks',
    'settings',
    'store',
    'shortcodes',
    'blocks',
    'content-rendering',
    'media',
  ],
  after: ['changes'],
  apply({ has, hooks, services }) {
    const { extraFields: fields, meta, store } = services
    if (has('changes')) for (const key of ['tag:stock', 'table:shelf']) services.changeReaders.set(key, VISIBLE_TO_ALL)
    hooks.server_starting.tapPromise('furniture', async () => {
      await store.run(sql`create table if not exists shelf (post integer primary key, items integer not null)`)
    })
    for (const type of ['post', 'term', 'comment', 'user'] as const)
      meta.register(type, 'mark', {
        type: 'string',
        single: true,
        show_in_rest: true,
        filterable: true,
        sortable: true,
      })
    fields.register('post', 'left', {
      dependsOn: ({ id }) => [`stock:${String(id)}`],
      get_callback: ({ id }) => stock.get(Number(id)) ?? 0,
      schema: NUMBER,
    })
    addUndeclared({ hooks, services })
    fields.register('page', 'width', {
      get_callback: ({ id }) => Number(id),
      schema: NUMBER,
      sortable: true,
      filterable: true,
      index: { type: 'number', value: ({ title }: { title: string }) => title.length },
    })
    fields.register('page', 'shelf', {
      get_callback: async ({ id }) => {
        const row = await store.first(sql<{ items: number }>`select items from shelf where post = ${Number(id)}`)
        return row?.items ?? 0
      },
      schema: NUMBER,
    })
    for (const [name, read] of Object.entries(SERVICE_FIELDS)) {
      fields.register('page', name, {
        get_callback: async () =>
          watched.objects && ((await read(services, watched.objects, new RequestCache())) ?? null),
        schema: { context: ['view', 'edit'] },
      })
    }
  },
})

/** Adds fields that read through services and from the request without declaring dependencies. */
function addUndeclared({ hooks, services }: Pick<PluginContext, 'hooks' | 'services'>): void {
  const { blocks, extraFields: fields, options, posts, shortcodes } = services
  for (const type of ['post', 'page', 'comment', 'category', 'user', 'attachment'])
    hooks.rest_prepare.for(type).tapPromise('furniture', async (response, _item, request) => {
      const shade = request.parent?.get('shade') ?? request.get('shade')
      if (shade !== undefined) Object.assign(response.data as object, { shade, of: await options.get('title') })
      return response
    })
  for (const type of ['post', 'comment', 'user'])
    fields.register(type, 'asked', {
      get_callback: (_data, _attribute, request) => Object.keys(request.query).join(),
      schema: { type: 'string', context: ['view', 'edit'] },
    })
  shortcodes.register('chairs', async (_attributes, _content, { scope }) => {
    const months = await posts.published('month', scope)
    return `${months.length} months, ${String(scope.parameter('shade'))}, ${requestOf(scope)?.route ?? 'a page'}`
  })
  blocks.register('furniture/table', {
    render_callback: async (_attributes, _content, { scope }) =>
      `<p>${String(await options.get('description'))} ${String(requestOf(scope)?.query['shade'])}</p>`,
  })
  hooks.the_title.tapPromise('furniture', async (title, { id }) => {
    const page = id % 5 === 0 ? await posts.get(id, new RequestCache()) : undefined
    return page === undefined ? title : `${title} (${page.status})`
  })
}

/** Registers everything that a plugin can register while the site runs. @returns the owner, whose `remove` undoes it */
export function registerLate({ hooks, services }: Kernel): Owner {
  const owner = new Owner('late')
  owner.run(() => {
    services.contentTypes.register('note', { public: true, show_in_rest: true, rest_base: 'notes' })
    services.extraFields.register('post', 'mood', {
      get_callback: () => 'calm',
      schema: { type: 'string' },
    })
    hooks.rest_prepare.for('category').tap('late', (response) => {
      Object.assign(response.data as object, { late: true })
      return response
    })
  })
  return owner
}
