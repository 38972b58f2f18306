// The scripts of every page.

import "./search.js";
import "./panels.js";
import "./copy.js";
