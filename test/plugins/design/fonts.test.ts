import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fontKind } from '../../../plugins/design/fonts/files.ts'
import { familyInCss, faceKey } from '../../../plugins/design/fonts/settings.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'
import { startOnly } from '../../helpers/site.ts'

startOnly('fonts')

const settings = suite('font settings')

settings('quote font names that are more than one word', () => {
  assert.is(familyInCss('Open Sans, serif'), '"Open Sans", serif')
  assert.is(familyInCss(`'3 Sans & Co', "Lato"`), '"3 Sans & Co", Lato')
  assert.is(faceKey({ fontFamily: '"Open Sans"', fontWeight: 'bold' }), 'open sans;normal;700;100%;U+0-10FFFF')
})

settings('accept a font file only if its extension matches its content', () => {
  assert.equal(fontKind('a.WOFF2', Buffer.from('wOF2....')), { ending: 'woff2', type: 'font/woff2' })
  for (const [name, text] of [
    ['a.woff2', 'wOFF'],
    ['a.php', 'wOF2'],
    ['a.otf', '<svg'],
    ['constructor', 'wOF2'],
    ['a.ttf', ''],
  ] as const)
    assert.is(fontKind(name, Buffer.from(text)), null, name)
})

settings.run()

const FACE = { fontFamily: 'Open Sans', fontStyle: 'normal', fontWeight: '400' }

/** Creates a font family and returns its ID. */
async function familyOf(site: SiteWithUsers): Promise<number> {
  const family = { name: 'Open Sans', slug: 'open-sans', fontFamily: 'Open Sans, sans-serif' }
  const response = await site.send(
    'POST',
    '/svc/v2/font-families',
    { font_family_settings: JSON.stringify(family) },
    'admin',
  )
  assert.is(response.status, 201, await response.clone().text())
  return ((await response.json()) as { id: number }).id
}

/** Uploads a face together with its file. */
function upload(
  site: SiteWithUsers,
  family: number,
  data: string,
  face: object = FACE,
  login: 'admin' | 'ed' = 'admin',
) {
  const form = new FormData()
  form.set('font_face_settings', JSON.stringify({ ...face, src: 'file-0' }))
  form.set('file-0', new File([data], 'open.woff2'))
  return site.request(`/svc/v2/font-families/${family}/font-faces`, {
    method: 'POST',
    body: form,
    headers: site.by(login),
  })
}

for (const { name, place } of databases) {
  const fonts = suite(`fonts, ${name}`)

  fonts('can be read and changed only by users who can edit the theme', async () => {
    await using site = await serveWithUsers(place)
    const id = await familyOf(site)
    for (const login of ['ed', 'ann', 'con', 'sub'] as const) {
      for (const path of ['font-families', `font-families/${id}`, `font-families/${id}/font-faces`, 'font-collections'])
        assert.is((await site.get(`/svc/v2/${path}`, site.by(login))).status, 403, `${path} ${login}`)
      assert.is((await site.send('DELETE', `/svc/v2/font-families/${id}?force=true`, {}, login)).status, 403)
      for (const path of ['font-families/999999', `font-families/${id}/font-faces/999999`])
        for (const method of ['GET', 'DELETE']) {
          const answer = await site.send(method, `/svc/v2/${path}?force=true`, method === 'GET' ? undefined : {}, login)
          assert.is(answer.status, 404, `${method} ${path} ${login}`)
        }
    }
    assert.is((await site.get(`/svc/v2/font-families/${id}`)).status, 401)
    assert.is((await upload(site, id, 'wOF2', FACE, 'ed')).status, 403)
  })

  fonts('lose their files when their face or family is deleted', async () => {
    await using site = await serveWithUsers(place)
    const id = await familyOf(site)
    type StoredFace = { id: number; font_face_settings: { src: string } }
    const sources: string[] = []
    const faces: StoredFace[] = []
    for (const fontWeight of ['400', '700']) {
      const response = await upload(site, id, `wOF2 ${fontWeight}`, { ...FACE, fontWeight })
      assert.is(response.status, 201, await response.clone().text())
      const face = (await response.json()) as StoredFace
      faces.push(face)
      sources.push(new URL(face.font_face_settings.src).pathname)
      assert.is(response.headers.get('location')?.endsWith(`/font-families/${id}/font-faces/${face.id}`), true)
    }
    const status = async (path: string) => (await fetch(site.home + path)).status
    assert.equal(await Promise.all(sources.map(status)), [200, 200])
    const face = `/svc/v2/font-families/${id}/font-faces/${faces[0]!.id}`
    assert.is((await site.send('DELETE', face, {}, 'admin')).status, 501)
    assert.is((await site.send('DELETE', `${face}?force=true`, {}, 'admin')).status, 200)
    assert.equal(await Promise.all(sources.map(status)), [404, 200])
    assert.is((await site.send('DELETE', `/svc/v2/font-families/${id}?force=true`, {}, 'admin')).status, 200)
    assert.is(await status(sources[1]!), 404)
  })

  fonts('refuse files that are not fonts, duplicate faces, unsafe sources and unreferenced files', async () => {
    await using site = await serveWithUsers(place, { plugins: { fonts: { max_file_size: 20 } } })
    const id = await familyOf(site)
    const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code
    assert.is(await codeOf(await upload(site, id, '<svg onload=1>')), 'rest_font_upload_invalid_file_type')
    assert.is(await codeOf(await upload(site, id, `wOF2${'x'.repeat(30)}`)), 'rest_font_upload_too_large')
    assert.is((await upload(site, id, 'wOF2')).status, 201)
    assert.is(await codeOf(await upload(site, id, 'wOF2')), 'rest_duplicate_font_face')
    const bad = (src: unknown) =>
      site.send(
        'POST',
        `/svc/v2/font-families/${id}/font-faces`,
        { font_face_settings: JSON.stringify({ ...FACE, fontStyle: 'italic', src }) },
        'admin',
      )
    for (const src of ['javascript:alert(1)', '../../etc/passwd', 'https://a.example/x") url(', [], ['file-0']])
      assert.is((await bad(src)).status, 400, String(src))
    const slug = { font_family_settings: JSON.stringify({ slug: 'other' }) }
    assert.is((await site.send('PUT', `/svc/v2/font-families/${id}`, slug, 'admin')).status, 400)
    const renamed = { font_family_settings: JSON.stringify({ name: 'Another name' }) }
    assert.is((await site.send('PUT', `/svc/v2/font-families/${id}`, renamed, 'admin')).status, 200)
  })

  fonts.run()
}
