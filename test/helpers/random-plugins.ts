import { sql } from 'kysely'
import { definePlugin, RequestCache } from '../../kernel/index.ts'
import { SERVICE_FIELDS } from './random-services.ts'
import type { RandomObjects } from './random-tools.ts'

/** How many of a thing are left, by the ID of its post: what no process but this one knows. */
export const stock = new Map<number, number>()

/** What the fields of `furniture` show. */
export const watched: { objects: RandomObjects | null } = { objects: null }

const NUMBER = { type: 'integer', context: ['view', 'embed', 'edit'] } as const

/** What plugins of others do: fields of tables and of tags of their own, and registered meta. */
export const furniture = definePlugin({
  name: 'furniture',
  needs: ['extra-fields', 'meta', 'posts', 'comments', 'terms', 'users', 'permalinks', 'settings', 'store'],
  apply({ hooks, services }) {
    const { fields, meta, store } = services
    hooks.server_starting.tapPromise('furniture', async () => {
      await store.run(sql`create table if not exists shelf (post integer primary key, things integer not null)`)
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
    fields.register('page', 'width', {
      dependsOn: 'nothing',
      get_callback: ({ id }) => Number(id),
      schema: NUMBER,
      sortable: true,
      filterable: true,
      index: { type: 'number', value: ({ title }: { title: string }) => title.length },
    })
    fields.register('page', 'shelf', {
      dependsOn: 'nothing',
      get_callback: async ({ id }) => {
        const row = await store.first(sql<{ things: number }>`select things from shelf where post = ${Number(id)}`)
        return row?.things ?? 0
      },
      schema: NUMBER,
    })
    for (const [name, read] of Object.entries(SERVICE_FIELDS)) {
      fields.register('page', name, {
        dependsOn: 'nothing',
        get_callback: async () =>
          watched.objects && ((await read(services, watched.objects, new RequestCache())) ?? null),
        schema: { context: ['view', 'edit'] },
      })
    }
  },
})

/** What a plugin adds that is switched on and off while the site runs. */
export const switched = definePlugin({
  name: 'switched',
  needs: ['content-types', 'posts', 'extra-fields', 'taxonomies'],
  apply({ hooks, services }) {
    services.contentTypes.register('note', { public: true, show_in_rest: true, rest_base: 'notes' })
    services.fields.register('post', 'mood', {
      dependsOn: 'nothing',
      get_callback: () => 'calm',
      schema: { type: 'string' },
    })
    hooks.rest_prepare.for('category').tap({ name: 'switched', dependsOn: 'nothing' }, (response) => {
      Object.assign(response.data as object, { switched: true })
      return response
    })
  },
})
