// npm run icons -- FOLDER: writes the sprite of the admin's icons and its license, plugins/site/admin/assets/icons*, from
// the files of the package lucide-static. Unpack the package first: npm pack lucide-static@1.62.0 && tar -xzf lucide-static-*.tgz,
// and pass its folder, package.
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ICON_NAMES } from '../../plugins/site/admin/frame/icon-names.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Pass the folder of the package lucide-static: npm run icons -- FOLDER')
const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string }
const symbols = await Promise.all(
  ICON_NAMES.map(async (name) => {
    const svg = await readFile(join(folder, 'icons', `${name}.svg`), 'utf8')
    const shapes = /<svg[^>]*>([^]*)<\/svg>/.exec(svg)?.[1] ?? ''
    const content = shapes.replace(/\s*\n\s*/g, '').replaceAll(' />', '/>')
    if (content === '') throw new Error(`The icon ${name} is empty.`)
    return `<symbol id="${name}" viewBox="0 0 24 24">${content}</symbol>`
  }),
)
const assets = resolve(import.meta.dirname, '../../plugins/site/admin/assets')
const about = `<!-- Icons of Lucide ${version}, https://lucide.dev; see icons-license.txt. -->`
await writeFile(
  join(assets, 'icons.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg">\n${about}\n${symbols.join('\n')}\n</svg>\n`,
)
await copyFile(join(folder, 'LICENSE'), join(assets, 'icons-license.txt'))
console.log(`Wrote ${ICON_NAMES.length} icons.`)
