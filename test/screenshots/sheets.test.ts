import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compareSheets, sheetOf, type Picture } from './sheets.ts'

const sheets = suite('sheets of screenshots')

const TEXT = '<text x="40" y="80" font-size="20">High water at 6:12 and 18:40</text>'
const ICON = '<circle cx="309" cy="309" r="8" fill="none" stroke="#667" stroke-width="2"/>'

/** Renders two pictures of a page; the second one shows the changed page. */
async function picturesOf(svg: string, height = 600): Promise<Picture[]> {
  const shown = [TEXT, svg].map((inner, at) => {
    const tall = at === 0 ? 600 : height
    return `<svg xmlns="http://www.w3.org/2000/svg" width="390" height="${tall}"><rect width="390" height="${tall}" fill="#fff"/>${inner}</svg>`
  })
  const pngs = await Promise.all(shown.map((one) => sharp(Buffer.from(one)).png().toBuffer()))
  return pngs.map((png, at) => ({ name: at === 0 ? 'same' : 'changed', width: 390, png }))
}

/** Compares a page with the recorded one. Returns the names of the pictures that differ. */
async function differing(svg: string, height?: number): Promise<{ names: string[]; hasDifference: boolean }> {
  const folder = await mkdtemp(join(tmpdir(), 'sheets-'))
  try {
    const [recorded, difference] = [join(folder, 'recorded.webp'), join(folder, 'difference.png')]
    await writeFile(recorded, await sheetOf(await picturesOf(TEXT)))
    const pictures = await picturesOf(svg, height)
    const compared = await compareSheets(await sheetOf(pictures), recorded, pictures, difference)
    return {
      names: compared.filter(({ isEqual }) => !isEqual).map(({ name }) => name),
      hasDifference: existsSync(difference),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

sheets('are equal for the same page', async () => {
  assert.equal(await differing(TEXT), { names: [], hasDifference: false })
})

sheets('are equal if pixels are a little lighter, as the edges of letters on another processor', async () => {
  assert.equal((await differing(TEXT.replace('<text', '<text opacity="0.96"'))).names, [])
})

sheets('find a new icon, text that moved by 10 pixels, and another height', async () => {
  for (const [svg, height] of [[TEXT + ICON], [TEXT.replace('y="80"', 'y="90"')], [TEXT, 610]] as const)
    assert.equal(await differing(svg, height), { names: ['changed'], hasDifference: true }, svg)
})

sheets.run()
