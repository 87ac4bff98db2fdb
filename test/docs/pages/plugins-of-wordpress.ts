import type { Examples } from '../pages.ts'

const secret = 'a secret of the examples, of many characters'

export default {
  prelude: ['declare const transport: { send(mail: object): Promise<boolean> }'],
  config: {
    plugins: {
      'custom-fields': true,
      'custom-field-routes': true,
      'featured-image-fields': true,
      'filter-parameter': true,
      forms: true,
      jwt: { secret },
      'menu-routes': true,
      languages: true,
      redirects: true,
      seo: true,
    },
  },
  async prepare(site) {
    await site.request('POST', '/svc/v2/menus', { name: 'Header', locations: ['primary'] })
    const form = { title: 'Contact', context: 'save' }
    const { id } = await site.request('POST', '/contact-form-7/v1/contact-forms', form)
    return { 'contact-forms/1/': `contact-forms/${String(id)}/` }
  },
  prints: [
    /"name":"Header"/,
    /"id":/,
    /\[\{"id":/,
    /"better_featured_image":null/,
    /\[/,
    /"token":"[\w.-]+","user_email"/,
    /"locale":"fr_FR"/,
    /"yoast_head_json":\{"title"/,
    /"url":"\/old"/,
    /"status":"mail_sent"/,
  ],
} satisfies Examples as Examples
