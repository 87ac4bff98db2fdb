// Bundles the block editor: node bundle.mjs OUT [resizing]. Prints JSON with the names of the files, and the folders of
// the packages in them. Runs in a folder in which package.json has been installed.
import { writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { build } from 'esbuild'

const [, , outdir, choice] = process.argv

/**
 * Resizes images in the browser: 12 MB of WebAssembly, bundled only on request. Its worker contains version 1.4.3 of
 * comctx, whose messages later versions do not understand: package.json pins that version, too.
 */
const RESIZING = ['@wordpress/vips', '@wordpress/worker-threads']
const resizes = choice === 'resizing'

/** Large packages that most sites do not need; they are replaced by empty modules. */
const LEFT_OUT = [
  ...(resizes ? [] : RESIZING),
  // Converts animated images to videos.
  '@wordpress/video-conversion',
  // Formulas: temml.
  '@wordpress/latex-to-mathml',
  // The waveform in the player of the block "playlist".
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

/**
 * Writes the worker that resizes images, which its package contains as a string, to a file; returns the name of the
 * file.
 */
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
