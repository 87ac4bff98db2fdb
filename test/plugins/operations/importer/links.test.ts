import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { one } from './importing.ts'

const item = (id: number, slug: string, date: string, type = 'post', content = '<p>x</p>') =>
  `<item><title>Item ${id}</title><wp:post_id>${id}</wp:post_id><wp:post_name>${slug}</wp:post_name>
  <content:encoded><![CDATA[${content}]]></content:encoded><wp:post_date>${date}</wp:post_date>
  <wp:post_date_gmt>${date}</wp:post_date_gmt><wp:status>publish</wp:status><wp:post_type>${type}</wp:post_type></item>`

/** Posts with slugs that URL structures confuse: numbers, dates, dots, parts and other scripts. */
const EXPORT = `<rss version="2.0" xmlns:wp="http://wordpress.org/export/1.2/"
  xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Old</title>
  <wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>http://old.example</wp:base_blog_url>
  ${item(910, 'plain', '2019-03-04 10:00:00')}
  ${item(911, '431', '2012-06-18 19:26:40')}
  ${item(912, '2012', '2012-06-19 19:26:40')}
  ${item(913, 'v1-0', '2012-06-20 19:26:40')}
  ${item(914, 'in-parts', '2019-03-05 10:00:00', 'post', 'one<!--nextpage-->two')}
  ${item(915, '%e4%b8%89%e4%ba%9a', '2019-03-06 10:00:00')}
  ${item(916, 'top', '2019-03-07 10:00:00', 'page')}
  </channel></rss>`

const STRUCTURES = [
  '/%postname%.html',
  '/%year%/%monthnum%/%postname%.html',
  '/%year%/%monthnum%/%day%/%postname%/',
  '/archives/%post_id%.html',
  '/p/%post_id%-%postname%/',
  '/%category%/%postname%/',
  '/%author%/%postname%',
  '/%postname%/',
  '/index.php/%year%/%postname%/',
  '',
]

for (const { name, place } of databases) {
  const links = suite(`links of imported and new posts on ${name}`)

  links('answer 200 for each imported post with each permalink structure', async () => {
    await using site = await serveWithUsers(place)
    await site.kernel.services.importer.run({ source: one(EXPORT) })
    for (const structure of STRUCTURES) {
      await site.kernel.services.options.set('permalink', structure)
      const posts = await site.json('/svc/v2/posts?per_page=100&_fields=title,link')
      const pages = await site.json('/svc/v2/pages?_fields=title,link')
      const all = ([...posts, ...pages] as { title: { rendered: string }; link: string }[])
        .map(({ title, link }) => ({ title: title.rendered, link }))
        .filter(({ title }) => title.startsWith('Item '))
      assert.is(all.length, 7)
      for (const { title, link } of all) {
        const response = await fetch(link, { redirect: 'manual' })
        assert.is(response.status, 200, `${structure}: ${link}`)
        assert.match(await response.text(), title, `${structure}: ${link}`)
      }
    }
  })

  links('answer 200 for a post and a tag whose names are not ASCII, in each spelling of the path', async () => {
    await using site = await serveWithUsers(place)
    const created = async (route: string, body: object) =>
      (await (await site.send('POST', `/svc/v2/${route}`, body, 'admin')).json()) as { id: number; link: string }
    const tag = await created('tags', { name: '三亚' })
    const post = await created('posts', { title: '三亚 旅行', status: 'publish', tags: [tag.id] })
    for (const { link } of [tag, post]) {
      const lower = link.replace(/%[\da-f]{2}/gi, (escape) => escape.toLowerCase())
      const upper = link.replace(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase())
      for (const spelling of [link, lower, upper, decodeURI(link)]) {
        const response = await fetch(spelling)
        assert.is(response.status, 200, spelling)
        assert.match(await response.text(), '三亚', spelling)
      }
    }
  })

  links.run()
}
