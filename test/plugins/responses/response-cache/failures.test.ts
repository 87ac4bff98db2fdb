import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type RestResponse } from '../../../../kernel/index.ts'
import { until } from '../../../helpers/until.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serve } from '../../../helpers/site.ts'

const failures = suite('response-cache failures')

/** The failing part; null for none. */
let failing: 'block' | 'shortcode' | 'category' | null = null
const unlessItFails = <T>(name: typeof failing, value: T): T => {
  if (failing === name) throw new Error('not now')
  return value
}

const unsteady = definePlugin({
  name: 'unsteady',
  needs: ['blocks', 'shortcodes', 'terms'],
  apply({ hooks, services }) {
    const dependsOn = 'nothing'
    const block = () => unlessItFails('block', '<p>block</p>')
    services.blocks.register('test/unsteady', { dependsOn, render_callback: block })
    services.shortcodes.register('unsteady', () => unlessItFails('shortcode', 'shortcode'), { dependsOn })
    const category = (response: RestResponse) => {
      unlessItFails('category', null)
      Object.assign(response.data as object, { name: 'TOOLS' })
      return response
    }
    hooks.rest_prepare.for('category').tap({ name: 'unsteady', dependsOn }, category)
  },
})

failures('a failed part is rendered again within about a minute', async () => {
  await using site = await serve({ add: [unsteady] })
  const realNow = Date.now
  using clock = new DisposableStack()
  clock.defer(() => void (Date.now = realNow))
  let ahead = 0
  Date.now = () => realNow() + ahead
  const term = await addTerm(site.store, { name: 'Tools', taxonomy: 'category' })
  const { blockMark } = site.kernel.branding
  const content = `<!-- ${blockMark}:test/unsteady /--><!-- ${blockMark}:html --><p>a [unsteady]</p><!-- /${blockMark}:html -->`
  const [post] = await addPosts(site.store, { content, terms: [term] })
  /** Returns the content and the embedded category of a post. */
  const shown = async (path: string) => {
    const [item] = [await site.json(path)].flat()
    const embedded = [item._embedded['svc:term'][0]].flat()[0]
    return [item.content.rendered.replaceAll('\n', ''), embedded.name ?? embedded.code]
  }
  const whole = ['<p>block</p><p>a shortcode</p>', 'TOOLS']
  const cases = [
    ['block', ['<p>a shortcode</p>', 'TOOLS']],
    ['shortcode', ['<p>block</p><p>a </p>', 'TOOLS']],
    // An item of a list is shown without the changes of a failing tap.
    ['category', [whole[0], 'Tools']],
  ] as const
  for (const path of [`/svc/v2/posts/${post}?_embed`, '/svc/v2/posts?_embed']) {
    for (const [name, partly] of cases) {
      failing = name
      assert.equal(await shown(path), partly, name)
      failing = null
      // The partial result is cached, so that not every request retries the failing part.
      assert.equal(await shown(path), partly, name)
      assert.is((await site.get(path)).headers.get('x-svc-cache'), 'HIT', name)
      ahead += 73_000
      // Content is rendered again in the background.
      await until(async () => JSON.stringify(await shown(path)) === JSON.stringify(whole) || void (ahead += 73_000))
      // Now it comes from the cache.
      failing = name
      assert.equal(await shown(path), whole, name)
      site.kernel.server.reset()
    }
  }
})

failures.run()
