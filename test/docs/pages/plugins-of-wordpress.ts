import type { Examples } from '../pages.ts'

const secret = 'a secret of the examples, of many characters'

export default {
  config: {
    plugins: {
      'featured-image-fields': true,
      'filter-parameter': true,
      jwt: { secret },
      'menu-routes': true,
      languages: true,
      redirects: true,
    },
  },
  async prepare(site) {
    await site.request('POST', '/svc/v2/menus', { name: 'Header', locations: ['primary'] })
    return {}
  },
  prints: [
    /"name":"Header"/,
    /"id":/,
    /"better_featured_image":null/,
    /\[/,
    /"token":"[\w.-]+","user_email"/,
    /./,
    /"url":"\/old"/,
  ],
} satisfies Examples as Examples
