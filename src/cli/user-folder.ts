/** File names are relative to where the user stands, which npm hides from scripts. */
export const userFolder = process.env['ICS_USER_FOLDER'] ?? process.cwd();
