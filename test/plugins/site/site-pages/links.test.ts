import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { places } from '../../../helpers/stores.ts'
import { checkLinks, siteWithWords, WORDS } from './links.ts'

for (const { name, make } of places) {
  const links = suite(`links of the site, ${name}`)

  links('of REST, feeds, sitemaps and blocks lead to their pages', async () => {
    await using site = await siteWithWords(await make(), [WORDS[3]!, WORDS.at(-1)!])
    for (const structure of ['', '/%year%/%monthnum%/%postname%.html', '/%category%/%postname%/'])
      assert.ok((await checkLinks(site, structure)) > 30)
  })

  links.run()
}
