// The page's script. All of it is in one chunk with what the first screen needs, see scripts/build-web.mjs.
import './begin.tsx'
