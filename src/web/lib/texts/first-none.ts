// What a browser has of the texts of the first page before their file is there. See "imports" of package.json.
export const parts = undefined
