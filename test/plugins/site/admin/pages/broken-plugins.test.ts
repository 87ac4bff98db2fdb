import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, html } from '../../../../../plugins/public.ts'
import type { Admin } from '../../../../../plugins/site/admin/index.ts'
import { browse } from '../../../../helpers/browser.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'

const broken = suite('failing parts of plugins in the admin')

const PLACES = ['post', 'page', 'category', 'post_tag', 'user', 'users', 'comments', 'media', 'dashboard']
const fail = (): never => {
  throw new Error('no beds')
}

/** A plugin all of whose parts fail in the given way. */
const garden = (how: 'throws' | 'gives nonsense') =>
  definePlugin({
    name: 'garden',
    needs: ['admin'],
    apply({ services: { admin } }) {
      // Values that a plugin in JavaScript can return.
      const nonsense = { label: 1 } as never
      admin.addMenu(how === 'throws' ? fail : () => [{ label: 'Beds', href: 'beds', position: 30 }, nonsense])
      if (how === 'throws') admin.addMenu(async () => fail())
      for (const place of PLACES) {
        admin.addColumn(place, { name: 'bed', label: 'Bed', cell: how === 'throws' ? fail : () => nonsense })
        admin.addPanel(place, {
          name: 'beds',
          title: 'Beds',
          show: async () => (how === 'throws' ? fail() : nonsense),
        })
      }
    },
  })

for (const how of ['throws', 'gives nonsense'] as const) {
  broken(`do not break any page if a plugin ${how}, and the log names the plugin`, async () => {
    const lines: string[] = []
    await using site = await serveWithUsers(filePlace, {
      add: [garden(how)],
      log: 'error',
      logTo: (line) => lines.push(line),
    })
    const { id } = (await site.json('/svc/v2/posts?slug=hello'))[0]
    const browser = browse(site)
    await browser.logIn('admin', 'pass phrase of admin')
    const { ann } = site.users
    const term = await site.send('POST', '/svc/v2/categories', { name: 'Beds' }, 'admin')
    const { id: category } = (await term.json()) as { id: number }
    const paths = [
      '',
      `content/post/${id}`,
      'content/post/new',
      'content/post',
      'content/page',
      'terms/category',
      `terms/category/${category}`,
      'comments',
      'media',
      'users',
      `users/${ann}`,
      'account',
    ]
    let noticeCount = 0
    for (const path of paths) {
      const response = await browser.open(`/svc-admin/${path}`)
      const text = await response.text()
      assert.is(response.status, 200, `${path}: ${text.slice(0, 500)}`)
      assert.match(text, '<h1', path)
      if (!text.includes('The plugin “garden” couldn’t display this.')) continue
      noticeCount += 1
      const id = response.headers.get('x-request-id')!
      assert.match(text, `Request ID: ${id}`)
      assert.ok(
        lines.some((line) => JSON.parse(line).request === id),
        path,
      )
    }
    assert.ok(noticeCount >= 8, `${noticeCount} pages show the notice`)
    assert.ok(lines.length > 0)
    for (const line of lines) assert.is(JSON.parse(line).plugin, 'garden', line)
  })
}

broken('show the request ID of the log entry if the REST API fails', async () => {
  const lines: string[] = []
  const failing = definePlugin({
    name: 'failing',
    apply: ({ hooks }) =>
      hooks.rest_dispatch_request.tap('failing', (result, _request, route) => {
        if (route.endsWith('/categories')) throw new Error('no paper')
        return result
      }),
  })
  await using site = await serveWithUsers(filePlace, {
    add: [failing],
    log: 'error',
    logTo: (line) => lines.push(line),
  })
  const browser = browse(site)
  await browser.logIn('admin', 'pass phrase of admin')
  const response = await browser.open('/svc-admin/terms/category')
  const id = response.headers.get('x-request-id')!
  assert.is(response.status, 500)
  assert.match(await response.text(), `failed in hook rest_dispatch_request. Request ID: ${id}</p>`)
  assert.ok(lines.some((line) => line.includes('no paper') && JSON.parse(line).request === id))
})

broken('are refused on registration if a required property is missing', async () => {
  const show = () => ({ main: html`<p></p>` })
  const cell = () => null
  const registrations: ((admin: Admin) => void)[] = [
    (admin) => admin.addPage({ path: 'garden', show } as never),
    (admin) => admin.addPage({ path: 'garden', title: '', show }),
    (admin) => admin.addPage({ path: 'garden', title: 'Garden' } as never),
    (admin) => admin.addColumn('post', { name: 'bed', cell } as never),
    (admin) => admin.addColumn('post', { label: 'Bed', cell } as never),
    (admin) => admin.addColumn('post', { name: 'bed', label: 'Bed', cell: 'dry' } as never),
    (admin) => admin.addPanel('post', { name: 'bed', show } as never),
    (admin) => admin.addPanel('post', { name: 'bed', title: 'Bed' } as never),
    (admin) => admin.addMenu([] as never),
  ]
  const codes: unknown[] = []
  const lacking = definePlugin({
    name: 'garden',
    needs: ['admin'],
    apply({ services: { admin } }) {
      for (const add of registrations) {
        try {
          add(admin)
          codes.push(null)
        } catch (error) {
          codes.push((error as { code?: unknown }).code)
        }
      }
    },
  })
  await using _ = await serveWithUsers(filePlace, { add: [lacking] })
  const [page, part] = ['ADMIN_PAGE_INVALID', 'ADMIN_PART_INVALID']
  assert.equal(codes, [page, page, page, part, part, part, part, part, part])
})

broken.run()
