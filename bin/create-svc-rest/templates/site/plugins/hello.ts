import { definePlugin } from 'svc-rest'

export interface HelloOptions {
  /** Text before the name. */
  greeting: string
}

export default definePlugin<HelloOptions>({
  name: 'hello',
  needs: ['posts', 'extra-fields', 'content-types'],
  options: {
    greeting: { default: 'Hello', type: 'string' },
  },
  apply({ hooks, services, urls }, { greeting }) {
    // A route. Arguments are checked before the callback runs: an invalid argument gets a 400 response.
    hooks.rest_api_init.tap('hello', (server) => {
      server.registerRoute('hello/v1', '/greet/(?P<name>[\\w-]+)', {
        methods: 'GET',
        permission_callback: () => true,
        args: {
          name: { type: 'string', maxLength: 40 },
          times: { type: 'integer', minimum: 1, maximum: 3, default: 1 },
        },
        callback: (request) => {
          const line = `${greeting}, ${String(request.get('name'))}!`
          return { lines: Array.from({ length: Number(request.get('times')) }, () => line) }
        },
      })
    })

    // A field on every post.
    services.extraFields.register('post', 'words', {
      get_callback: (data) => {
        const content = data['content'] as { rendered: string } | undefined
        return content === undefined ? null : (content.rendered.replace(/<[^>]*>/g, ' ').match(/\S+/g) ?? []).length
      },
      schema: { description: 'Words in the rendered content.', type: ['integer', 'null'], context: ['view'] },
    })

    // A content type, with the same routes as posts, at /svc/v2/recipes.
    services.contentTypes.register('recipe', {
      label: 'Recipes',
      public: true,
      show_in_rest: true,
      rest_base: 'recipes',
      supports: ['title', 'editor', 'custom-fields'],
    })

    // A filter on each post in a response.
    hooks.rest_prepare.for('post').tap('hello', (response, post, request) => {
      if (request.wants('_links')) response.addLink('hello:greeting', urls.rest(`/hello/v1/greet/${String(post.slug)}`))
      return response
    })
  },
})
