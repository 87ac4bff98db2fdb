import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { currentWork, definePlugin } from '../../../../kernel/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { serve } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'
import { receive } from '../../foundation/outgoing/asking.ts'

const renderers = suite('content renderers')

renderers('send no requests to other servers for dynamic blocks, shortcodes, embeds, images and fonts', async () => {
  await using server = await receive((_, response) => response.end('<rss><item><title>Entry</title></item></rss>'))
  let inRequests = 0
  const watch = definePlugin({
    name: 'watch',
    needs: ['outgoing'],
    apply({ hooks }) {
      hooks.outgoing_request_headers.tap('watch', (headers) => {
        if (currentWork() !== undefined) inRequests += 1
        return headers
      })
    },
  })
  const host = `127.0.0.1:${server.port}`
  const provider = { name: 'Here', urls: [`${server.url}/*`], endpoint: `${server.url}/oembed` }
  await using site = await serve({
    add: [watch],
    plugins: { outgoing: { allow: [host] }, oembed: { providers: [provider], discover: [host] } },
  })
  const url = (name: string) => `${server.url}/${name}`
  const blocks = site.kernel.services.blocks.all().map(({ name }) => {
    const at = url(name.replace('/', '-'))
    const attributes = { url: at, href: at, src: at, feedURL: at, providerNameSlug: 'here', type: 'video' }
    return `<!-- wp:${name.replace('core/', '')} ${JSON.stringify(attributes)} -->${at}<!-- /wp:${name.replace('core/', '')} -->`
  })
  const shortcodes = ['embed', 'video', 'audio', 'playlist', 'gallery', 'caption'].map(
    (name) => `[${name} src="${url(name)}" url="${url(name)}" ids="1"]${url(name)}[/${name}]`,
  )
  const content = [...blocks, ...shortcodes, '', url('alone'), '', `<img src="${url('image.png')}">`].join('\n')
  const [id] = await addPosts(site.store, { title: 'Around', content, excerpt: url('excerpt') })
  const { link } = await site.json(`/svc/v2/posts/${id}`)
  for (const path of ['/svc/v2/posts', link, `${site.home}/feed/`]) {
    assert.is((await site.request(path)).status, 200, path)
  }
  // Only the job of the feed sends a request.
  await until(async () => (await (await site.get(`/svc/v2/posts/${id}`)).text()).includes('Entry'))
  assert.equal(server.requestLines, ['GET /core-rss'])
  assert.is(inRequests, 0)
})

renderers.run()
