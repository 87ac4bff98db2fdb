import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import type { RenderedPost } from '../../../../plugins/rendering/content-rendering/index.ts'
import { serve, startOnly } from '../../../helpers/site.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

startOnly('content-rendering', 'shortcodes')

const shortcodes = suite('shortcodes')

const own = definePlugin({
  name: 'own',
  needs: ['shortcodes'],
  apply({ services }) {
    services.shortcodes.register('year', () => '2024')
    services.shortcodes.register('box', async ({ kind = 'plain' }, content, { number, post }) => {
      return `<div class="${kind}-${number}-${post.id}">${content ?? ''}</div>`
    })
    services.shortcodes.register('broken', () => {
      throw new Error('No.')
    })
  },
})

function post(content: string): RenderedPost {
  return { id: 7, type: 'post', status: 'publish', title: '', content, excerpt: '' }
}

shortcodes('are rendered in content, and replace a paragraph that contains nothing else', async () => {
  await using site = await serve({ add: [own] })
  const { contentRendering: rendering } = site.kernel.services
  assert.is(
    await rendering.content(post('In [year] "x"\n\n[box kind="a"]it\'s [year][/box]\n\n[box][broken] [[year]]')),
    '<p>In 2024 &#8220;x&#8221;</p>\n<div class="a-1-7">it&#8217;s 2024</div>\n' +
      '<p><div class="plain-2-7"></div> [year]</p>\n',
  )
})

shortcodes('are removed from excerpts together with their content', async () => {
  await using site = await serve({ add: [own] })
  const { contentRendering: rendering } = site.kernel.services
  assert.is(await rendering.excerpt(post('a [box]b[/box] [year] c')), '<p>a c</p>\n')
  assert.is(await rendering.excerpt(post('[year]')), '')
})

shortcodes('are removed together with the plugin that registered them', async () => {
  await using site = await serve({ add: [own] })
  const { contentRendering: rendering } = site.kernel.services
  const content = '[box kind="a"]'
  assert.is(await rendering.content(post(content)), '<div class="a-1-7"></div>\n')
  await removePlugin(site.kernel, 'own')
  assert.is(await rendering.content(post(content)), '<p>[box kind=&#8220;a&#8221;]</p>\n')
})

shortcodes.run()
