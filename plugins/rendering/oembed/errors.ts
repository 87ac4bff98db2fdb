import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  OEMBED_PROVIDER_INVALID: (name: string, why: string) =>
    `The provider ${name} of embeds cannot be used: ${sentence(why)}`,
  oembed_invalid_url: [404, 'Nothing at this URL can be embedded.'],
  rest_forbidden: [403, 'Only users who may edit posts can ask for embeds of other sites.'],
})
