import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formNonce, hiddenValue } from '../../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../../../../helpers/site-with-users.ts'

const PICTURE = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#285' } })
  .png()
  .toBuffer()

for (const { name, place } of databases) {
  const media = suite(`the media library of the admin on ${name}`)

  const open = async () => {
    const uploads = await mkdtemp(join(tmpdir(), 'admin-media-'))
    const site = await serveWithUsers(place, { uploads })
    const browser = browse(site)
    await browser.logIn('ed', 'pass phrase of ed')
    return {
      ...site,
      browser,
      page: async (path: string) => (await browser.open(path)).text(),
      add: async (file: string, fields: Record<string, string> = {}): Promise<number> => {
        const sent = form({ ...fields, file: new File([new Uint8Array(PICTURE)], file, { type: 'image/png' }) })
        const response = await site.request('/svc/v2/media', { method: 'POST', headers: site.by('ed'), body: sent })
        return ((await response.json()) as { id: number }).id
      },
      async [Symbol.asyncDispose]() {
        await site[Symbol.asyncDispose]()
        await rm(uploads, { recursive: true })
      },
    }
  }

  const form = (fields: Readonly<Record<string, string | File>>) => {
    const data = new FormData()
    for (const [field, value] of Object.entries(fields)) data.append(field, value)
    return data
  }

  /** Submits a form of a page with its nonce. */
  const act = async (browser: Browser, path: string, fields: Record<string, string>) => {
    const _svcnonce = formNonce(await (await browser.open(path)).text())
    return browser.send(path, { _svcnonce, ...fields })
  }

  media('counts files by type and month, and filters by months with uploads only', async () => {
    await using site = await open()
    await site.add('leaf.png')
    const { date } = await site.json(`/svc/v2/media/${await site.add('stem.png')}`)
    const month = String(date).slice(0, 7)
    const page = await site.page('/svc-admin/media')
    assert.match(page, /Images \(2\)/)
    assert.match(page, /Videos \(0\)/)
    const months = /<select[^>]*name="month"[^]*?<\/select>/.exec(page)![0]
    assert.equal(
      [...months.matchAll(/value="(\d{4}-\d\d)"/g)].map(([, value]) => value),
      [month],
    )
    assert.match(months, /\(2\)/)
    assert.match(await site.page(`/svc-admin/media?month=${month}`), 'leaf')
    assert.match(await site.page('/svc-admin/media?month=2001-01'), 'No media found.')
  })

  media('converts HEIC images to JPEG, and refuses images that it cannot decode', async () => {
    await using site = await open()
    const image = await sharp(PICTURE).avif().toBuffer()
    // HEIC with the compression of AVIF, which every build of sharp decodes.
    image.write('mif1', 8, 'latin1')
    const upload = (file: string, bytes: Buffer) =>
      site.request('/svc/v2/media', {
        method: 'POST',
        headers: site.by('ed'),
        body: form({ file: new File([new Uint8Array(bytes)], file, { type: 'image/heic' }) }),
      })
    const converted = (await (await upload('IMG_1.heic', image)).json()) as Record<string, unknown>
    assert.is(converted['mime_type'], 'image/jpeg', JSON.stringify(converted))
    assert.match(String(converted['source_url']), /IMG_1\.jpg$/i)
    const shown = await site.browser.open(String(converted['source_url']))
    assert.is((await sharp(Buffer.from(await shown.arrayBuffer())).metadata()).format, 'jpeg')
    const damaged = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(500)])
    const refused = await upload('IMG_2.heic', damaged)
    assert.is(refused.status, 400)
    const { code, message } = (await refused.json()) as { code: string; message: string }
    assert.is(code, 'rest_upload_image_type_not_supported')
    assert.match(message, 'save the image as JPEG')
  })

  media('stores several files of a form, and reports refused files', async () => {
    await using site = await open()
    const { browser } = site
    const _svcnonce = formNonce(await site.page('/svc-admin/media/new'))
    const sent = form({ _svcnonce, do: 'upload', alt_text: 'A leaf' })
    sent.append('files', new File([new Uint8Array(PICTURE)], 'leaf.png', { type: 'image/png' }))
    const one = await browser.open('/svc-admin/media/new', { method: 'POST', body: sent })
    assert.is(one.status, 303, await one.clone().text())
    const page = await site.page(one.headers.get('location')!)
    assert.match(page, '1 file uploaded.')
    assert.match(page, '>\nA leaf</textarea>')
    assert.match(page, '400 × 200 pixels')
    const several = form({ _svcnonce, do: 'upload' })
    several.append('files', new File(['<script>'], 'bad.<b>exe', { type: 'image/png' }))
    several.append('files', new File([new Uint8Array(PICTURE)], 'stem.png', { type: 'image/png' }))
    const some = await browser.open('/svc-admin/media/new', { method: 'POST', body: several })
    assert.is(some.status, 400)
    const errorPage = await some.text()
    assert.match(errorPage, 'bad.&#60;b&#62;exe couldn’t be uploaded: The file cannot be uploaded')
    assert.match(errorPage, '>stem</a>')
    const list = await site.page('/svc-admin/media')
    assert.ok(list.includes('<span>stem</span>') && list.includes('<span>leaf</span>'))
  })

  media('searches, filters and sorts by its URL, as a grid and as a list', async () => {
    await using site = await open()
    const [leaf, stem, root] = [
      await site.add('leaf.png', { alt_text: 'A leaf' }),
      await site.add('stem.png'),
      await site.add('root.png'),
    ]
    await site.send('POST', `/svc/v2/media/${root}`, { decorative: true }, 'ed')
    await site.send('POST', `/svc/v2/media/${leaf}`, { post: 1 }, 'ed')
    const shown = async (query: string) =>
      [...(await site.page(`/svc-admin/media?${query}`)).matchAll(/name="ids\[\]"\s+value="(\d+)"/g)].map(([, id]) =>
        Number(id),
      )
    assert.equal(await shown('orderby=title&order=asc'), [leaf, root, stem])
    assert.equal(await shown('search=stem'), [stem])
    assert.equal(await shown('alt=without'), [stem])
    assert.equal(await shown('attached=no&orderby=title&order=asc'), [root, stem])
    assert.equal(await shown('attached=yes'), [leaf])
    assert.equal(await shown('type=video'), [])
    const { ed, ann } = site.users
    assert.equal(await shown(`author=${ed}&view=list&orderby=title&order=asc`), [leaf, root, stem])
    assert.equal(await shown(`author=${ann}`), [])
    const filtered = await site.page('/svc-admin/media?attached=no&type=image&view=list')
    const chips = [...filtered.matchAll(/class="chip" href="([^"]+)"[^>]*aria-label="([^"]+)"/g)]
    assert.equal(
      chips.map(([, url, label]) => [url!.replace(/^[^?]*/, ''), label]),
      [
        ['?attached=no&#38;view=list', 'Remove filter Type: Images (3)'],
        ['?type=image&#38;view=list', 'Remove filter Attachment: Unattached'],
      ],
    )
    assert.equal(await shown('month=1999-12'), [])
    const { date } = (await (await site.request(`/svc/v2/media/${leaf}`)).json()) as { date: string }
    const month = date.slice(0, 7)
    assert.is((await shown(`month=${month}`)).length, 3)
    assert.match(await site.page('/svc-admin/media?view=list'), 'Decorative')
  })

  media(
    'stores texts and focal point of a file, shows errors next to their fields, and reports changes of other users',
    async () => {
      await using site = await open()
      const { browser } = site
      const id = await site.add('leaf.png')
      const path = `/svc-admin/media/${id}`
      const tag = async () => hiddenValue(await site.page(path), 'tag')
      const texts = {
        do: 'save',
        tag: await tag(),
        title: 'A <leaf>',
        alt_text: 'Green',
        caption: 'Seen',
        description: 'In May',
      }
      const half = await act(browser, path, { ...texts, focal_x: '25', focal_y: '' })
      assert.is(half.status, 400)
      const faulty = await half.text()
      assert.match(faulty, /id="field-focal_y-error">Enter both numbers/)
      assert.match(faulty, 'value="A &#60;leaf&#62;"')
      assert.match(
        await (await act(browser, path, { ...texts, focal_x: '25', focal_y: '120' })).text(),
        'from 0 to 100',
      )
      assert.is((await act(browser, path, { ...texts, focal_x: '25', focal_y: '75.5' })).status, 303)
      const stored = async () =>
        (await (await site.request(`/svc/v2/media/${id}`)).json()) as {
          alt_text: string
          media_details: Record<string, unknown>
        }
      const before = await stored()
      assert.is(before.alt_text, 'Green')
      assert.equal(before.media_details['focal_point'], { x: 0.25, y: 0.755 })
      assert.not('decorative' in before.media_details)
      const late = await act(browser, path, { ...texts, title: 'Mine' })
      assert.match(await late.text(), 'Someone else changed this file')
      assert.is(
        (await act(browser, path, { ...texts, tag: await tag(), focal_x: '', focal_y: '', decorative: '1' })).status,
        303,
      )
      const after = await stored()
      assert.is(after.alt_text, '')
      assert.is(after.media_details['decorative'], true)
      assert.not('focal_point' in after.media_details)
    },
  )

  media('lists the places that use a file and that the user can read, and deletes it after a warning', async () => {
    await using site = await open()
    const { browser } = site
    const id = await site.add('leaf.png')
    const other = await site.add('leaf-2.png')
    const { source_url: url } = (await (await site.request(`/svc/v2/media/${id}`)).json()) as { source_url: string }
    const post = async (body: Record<string, unknown>, login: 'ed' | 'ann' = 'ed') =>
      ((await (await site.send('POST', '/svc/v2/posts', body, login)).json()) as { id: number }).id
    await post({ title: 'In text', status: 'publish', content: `<img src="${url}">` })
    await post({ title: 'As featured', status: 'private', featured_media: id })
    await post({ title: 'In gallery', status: 'draft', content: `[gallery ids="7,${id}"]` })
    await post({
      title: 'Elsewhere',
      status: 'publish',
      content: `<img src="${url.replace('leaf', 'leaf-2')}">[gallery ids="${other}"]`,
    })
    const usage = async (login?: 'ed' | 'ann' | 'sub') => {
      const response = await site.request(
        `/svc/v2/media/${id}/usage`,
        login === undefined ? {} : { headers: site.by(login) },
      )
      const body = (await response.json()) as {
        posts?: { title: { rendered: string }; uses: string[]; editable: boolean }[]
      }
      return (
        body.posts?.map((one) => [one.title.rendered, one.uses.join(), one.editable].join(' | ')).sort() ??
        response.status
      )
    }
    assert.equal(await usage('ed'), [
      'In gallery | gallery | true',
      'In text | content | true',
      'Private: As featured | featured | true',
    ])
    assert.equal(await usage('ann'), ['In text | content | false'])
    assert.is(await usage('sub'), 403)
    assert.is(await usage(), 401)
    const page = await site.page(`/svc-admin/media/${id}`)
    assert.ok(page.includes('In gallery') && page.includes('in a gallery'))
    const confirmation = await (await act(browser, `/svc-admin/media/${id}`, { do: 'delete' })).text()
    assert.ok(confirmation.includes('As featured') && confirmation.includes('can’t be recovered'))
    assert.is((await act(browser, `/svc-admin/media/${id}`, { do: 'delete-confirmed' })).status, 303)
    assert.is((await site.request(`/svc/v2/media/${id}`)).status, 404)
  })

  media('creates edited images, attaches and detaches files', async () => {
    await using site = await open()
    const { browser } = site
    const id = await site.add('leaf.png')
    const path = `/svc-admin/media/${id}`
    const src = /name="src" value="([^"]*)"/.exec(await site.page(path))![1]!
    const plain = { do: 'edit', src, crop_left: '0', crop_top: '0', crop_width: '100', crop_height: '100', rotate: '0' }
    assert.match(await (await act(browser, path, plain)).text(), 'Rotate, crop or flip the image first.')
    const edited = await act(browser, path, { ...plain, crop_width: '50', rotate: '90', flip_vertical: '1' })
    assert.is(edited.status, 303)
    assert.match(await site.page(edited.headers.get('location')!), '200 × 200 pixels')
    assert.match(await site.page(`${path}?attach=Hello`), 'name="post" value="1"')
    assert.is((await act(browser, path, { do: 'attach', post: '1' })).status, 303)
    assert.match(await site.page(path), 'post with ID 1.')
    assert.is((await act(browser, path, { do: 'detach' })).status, 303)
    assert.match(await site.page(path), 'Unattached')
  })

  media('changes alternative texts and deletes in bulk, with the permissions of the user', async () => {
    await using site = await open()
    const [leaf, stem] = [await site.add('leaf.png'), await site.add('stem.png')]
    const bulk = async (browser: Browser, fields: Record<string, string>) => {
      const _svcnonce = formNonce(await (await browser.open('/svc-admin/media')).text())
      const body = new URLSearchParams({ _svcnonce, ...fields })
      for (const id of [leaf, stem]) body.append('ids[]', String(id))
      return browser.open('/svc-admin/media', { method: 'POST', body })
    }
    const { browser } = site
    const texts = await (await bulk(browser, { do: 'alt' })).text()
    assert.match(texts, `name="alt-${leaf}"`)
    assert.is((await bulk(browser, { do: 'save-alt', [`alt-${leaf}`]: 'A leaf', [`alt-${stem}`]: '' })).status, 303)
    assert.match(await site.page('/svc-admin/media'), 'Alt text of 1 file updated.')
    const ann = browse(site)
    await ann.logIn('ann', 'pass phrase of ann')
    await bulk(ann, { do: 'delete-confirmed' })
    assert.is((await site.request(`/svc/v2/media/${leaf}`)).status, 200)
    assert.match(await (await bulk(browser, { do: 'delete-chosen' })).text(), 'Delete 2 files?')
    await bulk(browser, { do: 'delete-confirmed' })
    assert.match(await site.page('/svc-admin/media'), '2 files permanently deleted.')
  })

  media('requires permission to upload, and shows a file that the user cannot edit without forms', async () => {
    await using site = await open()
    const id = await site.add('leaf.png')
    const [ann, sub] = [browse(site), browse(site)]
    await ann.logIn('ann', 'pass phrase of ann')
    await sub.logIn('sub', 'pass phrase of sub')
    for (const path of ['media', 'media/new', `media/${id}`])
      assert.is((await sub.open(`/svc-admin/${path}`)).status, 403, path)
    const page = await (await ann.open(`/svc-admin/media/${id}`)).text()
    assert.match(page, 'not edit it')
    assert.not.match(page, 'name="alt_text"')
    assert.is((await act(ann, `/svc-admin/media/${id}`, { do: 'delete-confirmed' })).status, 403)
    assert.is((await ann.open('/svc-admin/media/9999')).status, 404)
  })

  media.run()
}
