#!/usr/bin/env node
'use strict'
// Starts create-svc-rest. Plain CommonJS, because old releases of Node must be able to parse it.

const fs = require('fs')
const path = require('path')
const { pathToFileURL } = require('url')

/** The oldest release that runs the published package. Same as "engines" in package.json. */
const OLDEST = '18.20'

const source = path.join(__dirname, 'main.ts')
if (fs.existsSync(source)) {
  // A checkout has only sources, which need a newer Node than the package. `npm ci` installs one.
  require('../launch.js').onNewNode(() => run(source))
} else if (isOld()) {
  console.error(
    `create-svc-rest needs Node ${OLDEST} or newer; this is ${process.version}. Install it from https://nodejs.org, then try again.`,
  )
  process.exitCode = 1
} else {
  run(path.join(__dirname, 'dist', 'main.js'))
}

function run(file) {
  import(pathToFileURL(file).href)
    .then(({ main }) => main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
    })
    .catch((error) => {
      console.error(error)
      process.exitCode = 1
    })
}

function isOld() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [least, leastMinor] = OLDEST.split('.').map(Number)
  return major < least || (major === least && minor < leastMinor)
}
