import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stopClockFor } from '../../../../helpers/clock.ts'
import { serve, startOnly } from '../../../../helpers/site.ts'
import { unsafeHtml } from '../../../../xss/unsafe.ts'
import { render } from '../content.ts'

startOnly('media', 'shortcodes')

const captions = suite('captions of images')
stopClockFor(captions)

captions('are shown below the image', async () => {
  await using site = await serve()
  const image = '<a href="/b"><img src="/a.png" alt="" /></a>'
  const shown = image.replace('<img', '<img decoding="async"')
  assert.is(
    await render(site, `[caption id="attachment_5" align="alignleft" width="300"]${image} It's <b>red</b>[/caption]`),
    '<figure id="attachment_5" aria-describedby="caption-attachment-5" style="width: 300px" ' +
      `class="wp-caption alignleft">${shown}<figcaption id="caption-attachment-5" class="wp-caption-text">` +
      'It&#8217;s <b>red</b></figcaption></figure>\n',
  )
  assert.is(await render(site, `[caption]${image} words[/caption]`), `${shown} words\n`)
  assert.not.match(await render(site, `[caption id='x"><script>' width="1"]${image} a[/caption]`), '<script>')
  assert.match(await render(site, `[wp_caption width="300" caption="x"]${image}[/wp_caption]`), '>x</figcaption>')
})

captions('of the same image within a post have different IDs', async () => {
  await using site = await serve()
  const caption = '[caption id="attachment_5" width="3"]<img src="/a.png" /> a[/caption]\n\n'
  const html = await render(site, caption.repeat(3))
  assert.equal(
    [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id),
    ['', '-2', '-3'].flatMap((end) => [`attachment_5${end}`, `caption-attachment-5${end}`]),
  )
  assert.equal(await render(site, caption.repeat(3)), html, 'the numbers start again in each response')
})

captions('S31: are filtered like posts for every author, and cannot close their element', async () => {
  await using site = await serve()
  const image = '<img src="/a.png" alt="a > b" />'
  const caption = async (words: string) => {
    const html = await render(site, `[caption width="1" caption='${words}']${image}[/caption]`)
    return /<figcaption[^>]*>(.*)<\/figcaption>/.exec(html)?.[1]
  }
  assert.is(await caption('<b onclick=x>k</b><script>x</script>'), '<b>k</b>x')
  assert.is(await caption('<a href="javascript:x">k</a> <i>l</i>'), '<a>k</a> <i>l</i>')
  for (const words of ['<img alt="', '<b>k', 'k</figcaption><b>']) {
    const html = await render(site, `[caption width="1" caption='${words}'] ">k<img src="/a.png">[/caption]`)
    assert.equal(unsafeHtml(html, site.home), [], html)
  }
  assert.match(await render(site, `[caption width="1"]${image} k[/caption]`), /alt="a > b" \/><figcaption[^>]*>k</)
})

captions.run()
