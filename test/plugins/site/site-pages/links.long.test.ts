import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { places } from '../../../helpers/stores.ts'
import { checkLinks, siteWithWords, STRUCTURES, WORDS } from './links.ts'

for (const { name, make } of places) {
  const links = suite(`links of the site in all scripts, ${name}`)

  // Structures are matched before the database is queried, so a third of them shows that its queries find the words.
  const structures = name === 'PostgreSQL' ? STRUCTURES.filter((_, index) => index % 3 === 0) : STRUCTURES

  links('lead to their pages with every URL structure', async () => {
    await using site = await siteWithWords(await make(), WORDS)
    for (const structure of structures) assert.ok((await checkLinks(site, structure)) > 150)
  })

  links.run()
}
