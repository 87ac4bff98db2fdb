import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stopClockFor } from '../../../../helpers/clock.ts'
import { serve, startOnly } from '../../../../helpers/site.ts'
import { render } from '../content.ts'

startOnly('media', 'shortcodes')

const players = suite('players')
stopClockFor(players)

players('play audio files', async () => {
  await using site = await serve()
  const html = await render(site, '[audio src="https://a.test/b.mp3?x=1" loop="on"]')
  assert.match(html, '<audio class="wp-audio-shortcode" id="audio-9999-1" loop="1" preload="none"')
  assert.match(html, '<source type="audio/mpeg" src="https://a.test/b.mp3?x=1&amp;_=1" />')
  assert.is(await render(site, '[audio javascript:alert(1)]'), '\n')
  assert.is(await render(site, '[audio /b.txt]'), '<a class="wp-embedded-audio" href="/b.txt">/b.txt</a>\n')
})

players('have one source per file of the same recording', async () => {
  await using site = await serve()
  const html = await render(site, '[audio ogg="/b.ogg" mp3="/b.mp3" wav="javascript:x.wav"]')
  assert.match(html, '<source type="audio/mpeg" src="/b.mp3?_=1" /><source type="audio/ogg" src="/b.ogg?_=1" />')
  assert.match(html, '/><a href="/b.mp3">/b.mp3</a></audio>')
})

players('play video files', async () => {
  await using site = await serve()
  assert.is(
    await render(site, '[video src="https://a.test/b.mp4" webm="/b.webm" poster="/b.jpg" autoplay="1" loop="on"]'),
    '<div style="width: 640px;" class="wp-video">' +
      '<video class="wp-video-shortcode" id="video-9999-1" width="640" height="360" poster="/b.jpg" loop="1" ' +
      'autoplay="1" preload="metadata" controls="controls"><source type="video/mp4" src="https://a.test/b.mp4?_=1" />' +
      '<source type="video/webm" src="/b.webm?_=1" /><a href="https://a.test/b.mp4">https://a.test/b.mp4</a></video>' +
      '</div>\n',
  )
  assert.match(await render(site, '[video width="400" height="-3" mp4="/b.mp4"]'), ' width="400" height="360" preload')
  assert.not.match(await render(site, '[video mp4="/b.mp4" poster="javascript:x"]'), 'poster')
  assert.is(await render(site, '[video javascript:alert(1)]'), '\n')
  assert.is(await render(site, '[video /b.mov]'), '<a class="wp-embedded-video" href="/b.mov">/b.mov</a>\n')
})

players('are preceded by a comment for old browsers up to revision 6.5, once per post', async () => {
  await using site = await serve({ revision: '6.5' })
  const html = await render(site, '[audio /a.mp3][audio /b.mp3]')
  assert.is(html.split("<!--[if lt IE 9]><script>document.createElement('audio');</script><![endif]-->").length, 2)
})

players.run()
