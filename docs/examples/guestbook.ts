// A plugin with its own table, a route that reads it and a route that writes to it.
import { sql } from 'kysely'
import { cleanText, definePlugin } from 'svc-rest'

interface Entry {
  id: number
  author: string
  message: string
}

/** A guestbook: visitors leave messages that all visitors can read. */
export default definePlugin({
  name: 'guestbook',
  needs: ['store'],
  migrations: [
    {
      name: 'entries',
      sql: ({ id, text }) =>
        `create table guestbook__entries (id ${id}, author ${text} not null, message ${text} not null)`,
    },
  ],
  apply({ hooks, services: { store } }) {
    hooks.rest_api_init.tap('guestbook', (server) => {
      server.registerRoute('guestbook/v1', '/entries', [
        {
          methods: 'GET',
          permission_callback: () => true,
          args: { per_page: { type: 'integer', minimum: 1, maximum: 100, default: 10 } },
          callback: (request) =>
            store.all(
              sql<Entry>`select * from guestbook__entries order by id desc limit ${request.get('per_page') as number}`,
            ),
        },
        {
          methods: 'POST',
          permission_callback: () => true,
          args: {
            author: { type: 'string', required: true, minLength: 1, maxLength: 100 },
            message: { type: 'string', required: true, minLength: 1, maxLength: 2000 },
          },
          callback: (request) => {
            const author = cleanText(request.get('author') as string)
            const message = cleanText(request.get('message') as string)
            const added = sql<Entry>`
              insert into guestbook__entries (author, message) values (${author}, ${message}) returning *`
            return store.first(added)
          },
        },
      ])
    })
  },
})
