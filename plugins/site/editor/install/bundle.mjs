// Bundles the block editor: node bundle.mjs OUT [resizing]. Prints what was made as JSON: the names of the files, and the
// folders of the packages in them. Runs where package.json has been installed.
import { writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { build } from 'esbuild'

const [, , outdir, choice] = process.argv

/**
 * What resizes images in the browser is in the bundle where that was chosen: 12 MB of WebAssembly. Its worker holds version
 * 1.4.3 of comctx, whose messages later versions do not understand: package.json names that one, too.
 */
const RESIZING = ['@wordpress/vips', '@wordpress/worker-threads']
const resizes = choice === 'resizing'

/** What most sites do not need, and what is large: it is replaced by nothing. */
const LEFT_OUT = [
  ...(resizes ? [] : RESIZING),
  // Converts animated pictures to videos.
  '@wordpress/video-conversion',
  // Formulas: temml.
  '@wordpress/latex-to-mathml',
  // The picture of a sound in the player of the block "playlist".
  '@arraypress/waveform-player',
]

const names = new RegExp(`^(?:${LEFT_OUT.join('|')})(?:/.*)?$`)

const leaveOut = {
  name: 'leave-out',
  setup(bundle) {
    bundle.onResolve({ filter: names }, ({ path }) => ({ path, namespace: 'left-out' }))
    bundle.onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'module.exports = {}', loader: 'js' }))
  },
}

const options = {
  outdir,
  entryNames: '[name]-[hash]',
  minify: true,
  target: 'es2022',
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
}

/** Writes the worker that resizes images, which its package has as a text with everything in it; its file. */
async function resizingWorker() {
  const { workerCode } = await import('./node_modules/@wordpress/vips/build-module/worker-code.mjs')
  await writeFile('resizing-worker.js', workerCode)
  const { metafile } = await build({ ...options, entryPoints: ['resizing-worker.js'] })
  return Object.keys(metafile.outputs)[0]
}

const worker = resizes ? await resizingWorker() : null

const { metafile } = await build({
  ...options,
  entryPoints: { editor: 'editor.js', canvas: 'canvas.css' },
  bundle: true,
  format: 'esm',
  ...(resizes && { alias: { '@wordpress/vips/worker': resolve('resizing.js') } }),
  define: {
    ...(resizes && { RESIZING_WORKER: JSON.stringify(`./${basename(worker)}`) }),
    'process.env.NODE_ENV': '"production"',
    'globalThis.SCRIPT_DEBUG': 'false',
    'globalThis.IS_GUTENBERG_PLUGIN': 'false',
    'globalThis.IS_WORDPRESS_CORE': 'true',
  },
  plugins: [leaveOut],
})

const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs))
const folders = inputs.flatMap(
  (path) => /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
)
if (resizes) folders.push('node_modules/@wordpress/vips', 'node_modules/wasm-vips')
const files = [...Object.keys(metafile.outputs), ...(resizes ? [worker] : [])]
console.log(JSON.stringify({ files, packages: [...new Set(folders)].sort() }))
