import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const STATUSES = ['draft', 'pending', 'future', 'private', 'publish']

async function linkTo(site: SiteWithUsers, id: number): Promise<string> {
  const response = await site.send('POST', `/svc/v2/posts/${id}/preview`, {}, 'ed')
  return ((await response.json()) as { link: string }).link
}

async function addPost(site: SiteWithUsers, post: Record<string, unknown>): Promise<number> {
  const response = await site.send('POST', '/svc/v2/posts', { title: 'Tide', content: 'Low water', ...post }, 'ed')
  return ((await response.json()) as { id: number }).id
}

for (const { name, place } of databases) {
  const links = suite(`preview links to pages on ${name}`)

  links('S8: show the page of a post in any status to visitors with the link only', async () => {
    await using site = await serveWithUsers(place)
    for (const status of STATUSES) {
      for (const password of ['', ...(status === 'private' ? [] : ['sesame'])]) {
        const id = await addPost(site, {
          status,
          password,
          ...(status === 'future' && { date: '2099-01-01T00:00:00' }),
        })
        const link = await linkTo(site, id)
        const shown = await fetch(link)
        assert.is(shown.status, 200, status)
        assert.match(await shown.text(), 'Low water')
        assert.is(shown.headers.get('cache-control'), 'private, no-store')
        assert.is(shown.headers.get('referrer-policy'), 'no-referrer')
        assert.is(shown.headers.get('x-robots-tag'), 'noindex')
        const without = await fetch(link.replace(/&preview_token=.*/, ''))
        if (status === 'publish') assert.is(password === '', (await without.text()).includes('Low water'))
        else assert.is(without.status, 404, status)
      }
    }
  })

  links('show the newest autosave', async () => {
    await using site = await serveWithUsers(place)
    const id = await addPost(site, { status: 'publish' })
    const link = await linkTo(site, id)
    await site.send('POST', `/svc/v2/posts/${id}/autosaves`, { content: 'High water' }, 'ed')
    assert.match(await (await fetch(link)).text(), 'High water')
    assert.match(await (await fetch(`${site.home}/?p=${id}`)).text(), 'Low water')
  })

  links(
    'S8: show nothing with the token of another post, a changed token, in the trash, and after they are revoked',
    async () => {
      await using site = await serveWithUsers(place)
      const id = await addPost(site, { status: 'draft' })
      const other = await addPost(site, { status: 'draft' })
      const link = await linkTo(site, id)
      for (const wrong of [
        link.replace(`p=${id}`, `p=${other}`),
        `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`,
        link.replace(/p=\d+&/, ''),
        link.replace(/token=.*/, 'token='),
      ]) {
        const response = await fetch(wrong)
        assert.not.match(await response.text(), 'Low water', wrong)
      }
      await site.send('DELETE', `/svc/v2/posts/${other}`, {}, 'ed')
      assert.is((await fetch(await linkTo(site, id))).status, 200)
      await site.send('DELETE', `/svc/v2/posts/${id}`, {}, 'ed')
      assert.is((await fetch(link)).status, 404)
      const third = await linkTo(site, await addPost(site, { status: 'draft' }))
      await site.kernel.services.previews.revokeAll()
      assert.is((await fetch(third)).status, 404)
    },
  )

  links.run()
}

const elsewhere = suite('preview links without pages')

elsewhere('lead to the REST API if a front end shows the pages of the site', async () => {
  await using site = await serveWithUsers(databases[0]!.place, {
    plugins: { 'site-pages': { site: 'https://front.example' } },
  })
  const id = await addPost(site, { status: 'draft' })
  assert.match(await linkTo(site, id), `${site.home}/svc-json/svc/v2/posts/${id}?preview_token=`)
})

elsewhere.run()
