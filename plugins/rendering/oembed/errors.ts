import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  OEMBED_PROVIDER_INVALID: (name: string, why: string) => `The oEmbed provider ${name} is invalid: ${sentence(why)}`,
  oembed_invalid_url: [404, 'Nothing at this URL can be embedded.'],
  rest_forbidden: [403, 'Sorry, you are not allowed to request embeds of other sites.'],
})
