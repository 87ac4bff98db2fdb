import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  OEMBED_PROVIDER_INVALID: (name: string, reason: string) =>
    `The oEmbed provider ${name} is invalid: ${sentence(reason)}`,
  oembed_invalid_url: [404, 'Nothing at this URL can be embedded.'],
  rest_forbidden: [403, 'Sorry, you are not allowed to request embeds of other sites.'],
})
