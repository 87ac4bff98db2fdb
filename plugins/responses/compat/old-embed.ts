import { definePlugin } from '../../../kernel/index.ts'
import embed from '../embed.ts'

/** Embedding before revision 5.4: `_embed` embeds all relations, whatever its value. */
export default definePlugin({
  ...embed,
  name: 'old-embed',
  async apply(context, options) {
    context.hooks.rest_post_dispatch.tap({ name: 'old-embed', stage: 499 }, (response, _server, { query }) => {
      if (query['_embed'] !== undefined) query['_embed'] = '1'
      return response
    })
    await embed.apply(context, options)
  },
})
