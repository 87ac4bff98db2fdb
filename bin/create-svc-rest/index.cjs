#!/usr/bin/env node
'use strict'
// Starts create-svc-rest. This file itself must parse on old releases of Node: plain CommonJS.

const fs = require('fs')
const path = require('path')
const { pathToFileURL } = require('url')

/** The oldest release that runs svc-rest; "engines" in package.json says the same. */
const OLDEST = '24.7'

const [major, minor] = process.versions.node.split('.').map(Number)
const [least, leastMinor] = OLDEST.split('.').map(Number)
if (major < least || (major === least && minor < leastMinor)) {
  console.error(
    `svc-rest needs Node ${OLDEST} or newer; this is ${process.version}. Install one from https://nodejs.org, then try again.`,
  )
  process.exitCode = 1
} else {
  // Node strips no types below node_modules; in a checkout there is nothing but the sources.
  const source = path.join(__dirname, 'main.ts')
  const file = fs.existsSync(source) ? source : path.join(__dirname, 'dist', 'main.js')
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
